// The page as a host serves it: below a path, under its policy, without a network.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { given } from "../browser.mjs";
import { expect, simulated, test } from "../fixtures.mjs";

/** Starts a server that can be stopped. */
const server = async () => {
  const child = spawn(given("RUNQUEUE_XTASK"), ["serve", given("RUNQUEUE_PAGE"), "--port", "0"], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  const [line] = await once(createInterface({ input: child.stderr }), "line");
  const stop = async () => {
    child.kill();
    await once(child, "exit");
  };
  return { url: line.match(/http:\S+/)[0], stop };
};

test("it works below any path", async ({ page }) => {
  await page.goto(given("RUNQUEUE_SUBPATH_URL"));
  await simulated(page);
  expect(new URL(page.url()).pathname).toBe("/a/b/c/");
});

test("nothing is asked of any other host", async ({ page, baseURL }) => {
  const elsewhere = [];
  page.on("request", (request) => {
    if (!request.url().startsWith(baseURL) && !request.url().startsWith("data:") && !request.url().startsWith("blob:")) {
      elsewhere.push(request.url());
    }
  });
  await page.goto("");
  await simulated(page);
  expect(elsewhere).toEqual([]);
});

test("its policy forbids inline scripts and other hosts", async ({ page }) => {
  await page.goto("");
  const policy = await page.locator("meta[http-equiv='Content-Security-Policy']").getAttribute("content");
  expect(policy).toContain("default-src 'none'");
  expect(policy).not.toContain("unsafe-inline");
  expect(policy).not.toContain("'unsafe-eval'");
});

test("after the first visit it works without a network", async ({ page }) => {
  const host = await server();
  await page.goto(host.url);
  await simulated(page);
  await page.evaluate(() => navigator.serviceWorker.ready);
  await expect.poll(() => page.evaluate(() => caches.keys())).toHaveLength(1);
  await host.stop();
  await page.goto("about:blank");
  await page.goto(`${host.url}?visit=2#1/hikey-schbench?seed=5~`);
  await simulated(page);
});

/** The function of the later part of a program that waits for a slot. */
const named = async (program, slot) => {
  const lines = (await readFile(join(given("RUNQUEUE_LATER"), `${program}.txt`), "utf8")).split("\n");
  return lines.find((line) => line.startsWith(`${slot} `)) ?? `slot ${slot} of ${program}`;
};

/** The slots that were called before their part was there. Runs in the page and in its workers. */
const calledEarly = () => performance.getEntriesByName("later").map((mark) => mark.detail);

for (const fragment of ["", "1/hikey-schbench?seed=5~"]) {
  test(`the first chart needs nothing of the later parts${fragment && ", also by a link"}`, async ({ page }) => {
    const held = [];
    await page.route("**/app*_later.wasm*", (route) => {
      // What is wanted at once is needed early; what is fetched in time waits until we have looked.
      if (route.request().resourceType() === "xhr") {
        return route.continue();
      }
      held.push(route);
    });
    await page.goto(`./#${fragment}`);
    await simulated(page);
    await expect.poll(() => held.length, "the page asks for the rest by itself").toBe(1);
    const early = [];
    for (const slot of await page.evaluate(calledEarly)) {
      early.push(await named("app", slot));
    }
    for (const worker of page.workers()) {
      for (const slot of await worker.evaluate(calledEarly)) {
        early.push(await named("worker", slot));
      }
    }
    expect(early, "say `first NAME` for each of these in web/later.txt").toEqual([]);
    await expect(page.getByTestId("editor")).toHaveAttribute("data-state", "loading");
    await held[0].continue();
    await expect(page.getByTestId("timeline")).toHaveAttribute("data-state", "full");
    await expect(page.getByTestId("editor")).not.toHaveAttribute("data-state", "loading");
  });
}

test("whoever is quicker than the later part is served all the same", async ({ page }) => {
  await page.route("**/app*_later.wasm*", (route) => {
    // Only the part that is wanted at once is let through.
    if (route.request().resourceType() === "xhr") {
      return route.continue();
    }
  });
  await page.goto("");
  await simulated(page);
  await page.getByText("Dark", { exact: true }).click();
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
});

test("a lesson that nobody has opened yet works without a network, below any path", async ({ page }) => {
  const host = await server();
  await page.goto(host.url);
  await simulated(page);
  await page.evaluate(() => navigator.serviceWorker.ready);
  await expect.poll(() => page.evaluate(() => caches.keys())).toHaveLength(1);
  await host.stop();
  await page.getByTestId("lessons-open").click();
  await page.getByTestId("lesson-open").first().click();
  await expect(page.getByTestId("lesson")).toHaveAttribute("data-state", "full");
  await page.goto("about:blank");
  await page.goto(`${host.url}?visit=2#lesson/llc-spread/2`);
  await expect(page.getByTestId("predict")).toHaveAttribute("data-state", "full");
});
