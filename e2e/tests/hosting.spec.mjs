// The page as a host serves it: below a path, under its policy, without a network.

import { spawn } from "node:child_process";
import { once } from "node:events";
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
