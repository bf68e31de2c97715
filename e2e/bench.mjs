// What the page costs, beside its bars. Benchmarks, not tests: they never fail.
// RUNQUEUE_PAGE=dist RUNQUEUE_CLI=target/release/runqueue RUNQUEUE_CHROMIUM=/usr/bin/chromium npm run bench

import { execFileSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { chromium } from "@playwright/test";
import { CHROMIUM_FLAGS, given } from "./browser.mjs";
import { timeSeeds, watch } from "./worker.mjs";

const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".wasm": "application/wasm", ".svg": "image/svg+xml" };
const ROUNDS = 40;

const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];
const worst = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.95)];
const line = (what, bar, goal, measured) =>
  console.log(`${what.padEnd(44)} ${bar.padStart(10)} ${goal.padStart(10)}   ${measured}`);
const ms = (value) => `${value.toFixed(value < 10 ? 2 : 0)} ms`;

/** Serves the page compressed, as hosts do. */
const serve = async (folder) => {
  const server = createServer(async ({ url }, response) => {
    const path = new URL(url, "http://here").pathname;
    const file = path.endsWith("/") ? `${path}index.html` : path;
    try {
      const content = gzipSync(await readFile(join(folder, file)), { level: 9 });
      response.writeHead(200, { "content-type": TYPES[extname(file)] ?? "text/plain", "content-encoding": "gzip" });
      response.end(content);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return { url: `http://127.0.0.1:${server.address().port}/`, close: () => server.close() };
};

/** Waits until the first charts are drawn. */
const charts = (page) => page.locator("[data-testid='headline'][data-state='full']").waitFor();

/** Milliseconds from a change of the address until a new result is drawn. Runs in the page. */
const untilNewResult = (fragment) =>
  new Promise((done) => {
    const shown = () => [...document.querySelectorAll("[data-testid^='figure-']")].map((element) => element.dataset.traceHash);
    const before = shown();
    const start = performance.now();
    const look = () => {
      const now = shown();
      if (String(now) !== String(before) && now.length === before.length && now.every(Boolean)) {
        // The frame after the one that the change is drawn in.
        requestAnimationFrame(() => done(performance.now() - start));
      } else {
        requestAnimationFrame(look);
      }
    };
    requestAnimationFrame(look);
    location.hash = fragment;
  });

/** Milliseconds from the key for the next decision until that is drawn; none where there was no further one. Runs in the page. */
const untilNextDecision = () =>
  new Promise((done) => {
    const inspector = document.getElementById("inspector");
    const shown = () => inspector.querySelector(".decision-place")?.textContent;
    const before = shown();
    const start = performance.now();
    const look = () => {
      if (inspector.dataset.state === "full" && shown() !== before) {
        // The frame after the one that the change is drawn in.
        requestAnimationFrame(() => done(performance.now() - start));
      } else if (performance.now() - start < 3000) {
        requestAnimationFrame(look);
      } else {
        done(null);
      }
    };
    document.dispatchEvent(new KeyboardEvent("keydown", { key: ".", bubbles: true }));
    requestAnimationFrame(look);
  });

/** Opens decisions all over a run: after each long wait the next few. */
const openings = async (page) => {
  const times = [];
  await page.getByTestId("wait-longest").click();
  for (let wait = 0; wait < 8; wait += 1) {
    for (let step = 0; step < 4; step += 1) {
      times.push(await page.evaluate(untilNextDecision));
    }
    await page.getByTestId("wait-next").click();
    await page.getByTestId("cause-next").click();
    await page.waitForTimeout(300);
  }
  return times.filter((time) => time !== null);
};

const server = await serve(resolve(given("RUNQUEUE_PAGE")));
const browser = await chromium.launch({ executablePath: given("RUNQUEUE_CHROMIUM"), args: CHROMIUM_FLAGS });
const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
await page.addInitScript(watch);
await page.goto(server.url);
await charts(page);

line("what", "first bar", "goal", "measured");

const changes = [];
for (let seed = 2; seed < ROUNDS + 2; seed += 1) {
  changes.push(await page.evaluate(untilNewResult, `#1/hikey-schbench?seed=${seed}~`));
}
line("change to charts, HiKey", "100 ms", "50 ms", `${ms(median(changes))}, 95 % under ${ms(worst(changes))}`);

// The band is computed once nothing else is; before that there is nothing to repeat, and after it nothing in the way.
await page.waitForFunction(() => 400 <= window.watched.hashes.length);
const inBrowser = await page.evaluate(timeSeeds, 40);
line("HiKey, one column, Chromium", "8 ms", "2 ms", ms(inBrowser));

for (const [what, fragment] of [["HiKey", "#1/hikey-schbench~"], ["virtual machine", "#1/vm32-schbench~"]]) {
  await page.goto("about:blank");
  await page.goto(`${server.url}${fragment}`);
  await charts(page);
  await page.waitForFunction(() => document.querySelector("[data-testid='seeds'][data-state='full']"), null, { timeout: 0 });
  const times = await openings(page);
  line(`open a decision, ${what}`, "50 ms", "50 ms", `${ms(median(times))}, 95 % under ${ms(worst(times))}`);
}

const rows = JSON.parse(
  execFileSync(given("RUNQUEUE_CLI"), ["bench", "--json"], { stdio: ["ignore", "pipe", "ignore"], maxBuffer: 1 << 26 }),
);
const hikey = rows.find((row) => row.scenario.startsWith("hikey"));
if (hikey) {
  const native = (hikey.cpu_s / hikey.simulated_s) * 10 * 1000;
  line("HiKey, one column, native", "5 ms", "1.5 ms", ms(native));
  line("wasm against native", "1.6", "1.3", (inBrowser / native).toFixed(2));
}

const slow = await browser.newPage();
const devtools = await slow.context().newCDPSession(slow);
await devtools.send("Network.enable");
await devtools.send("Emulation.setCPUThrottlingRate", { rate: 4 });
const bandwidth = 10_000_000 / 8;
await devtools.send("Network.emulateNetworkConditions", {
  offline: false,
  latency: 40,
  downloadThroughput: bandwidth,
  uploadThroughput: bandwidth,
});
const start = performance.now();
await slow.goto(server.url, { waitUntil: "commit" });
await charts(slow);
line("first chart, CPU / 4, 10 Mbit/s, 40 ms", "3000 ms", "2000 ms", ms(performance.now() - start));

await browser.close();
server.close();
