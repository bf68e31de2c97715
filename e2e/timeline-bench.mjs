// What the timeline costs with a million slices on 64 lanes, and what the page keeps in memory, beside their bars.
// A benchmark, not a test: it never fails.
// RUNQUEUE_URL=http://127.0.0.1:8080/ RUNQUEUE_CHROMIUM=/usr/bin/chromium node timeline-bench.mjs

import { chromium } from "@playwright/test";
import { CHROMIUM_FLAGS, given } from "./browser.mjs";

/** 64 CPUs, 128 threads that compute 0.1 ms and sleep 1 ms, 10 s: 1.16 million slices. */
const MANY_SLICES = "#1/d3-64cpu~";
/** The presets of the page that keep most: many events, many threads. */
const LARGEST = ["#1/d3-64cpu~", "#1/cpu104-schbench~", "#1/vm32-hackbench~"];
const FRAMES = 240;

const line = (what, bar, goal, measured) =>
  console.log(`${what.padEnd(44)} ${bar.padStart(10)} ${goal.padStart(10)}   ${measured}`);
const spread = (values) => {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))].toFixed(1);
  return `p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, max ${at(1)} ms`;
};
const mib = (bytes) => `${(bytes / 2 ** 20).toFixed(0)} MiB`;

/** Run before the page: adds up the time that scripts take from frame to frame, and finds the memories of modules. */
const watch = () => {
  window.spent = 0;
  const timed = (what) =>
    function heard(...words) {
      const start = performance.now();
      try {
        return what.apply(this, words);
      } finally {
        window.spent += performance.now() - start;
      }
    };
  const request = window.requestAnimationFrame.bind(window);
  window.pictures = request;
  window.requestAnimationFrame = (what) => request(timed(what));
  window.Worker = class extends Worker {
    set onmessage(what) {
      super.onmessage = what && timed(what);
    }
  };
};

/** Runs in page and workers before their modules. */
const findMemories = () => {
  self.memories = [];
  const { Memory } = WebAssembly;
  const keep = (instance) => {
    for (const value of Object.values(instance.exports)) {
      if (value instanceof Memory) {
        self.memories.push(value);
      }
    }
  };
  for (const name of ["instantiate", "instantiateStreaming"]) {
    const original = WebAssembly[name];
    WebAssembly[name] = async (...words) => {
      const result = await original(...words);
      keep(result.instance ?? result);
      return result;
    };
  }
};
const heldByModules = () => self.memories.reduce((sum, memory) => sum + memory.buffer.byteLength, 0);

/** Turns the wheel over the timeline in every frame, as `turn` says; tells how long scripts and frames took. */
const look = ([frames, turn]) =>
  new Promise((done) => {
    const canvas = document.getElementById("timeline-canvas");
    const box = canvas.getBoundingClientRect();
    const at = { clientX: box.left + box.width * 0.6, clientY: box.top + 80, bubbles: true, cancelable: true };
    const scripts = [];
    const intervals = [];
    let before = performance.now();
    const wheel = (frame) => {
      const share = frame / frames;
      const pan = new WheelEvent("wheel", { ...at, shiftKey: true, deltaY: Math.sin(share * 25) > 0 ? 22 : -18 });
      const zoom = new WheelEvent("wheel", { ...at, ctrlKey: true, deltaY: share < 0.5 ? -24 : 24 });
      if (turn !== "zoom") canvas.dispatchEvent(pan);
      if (turn !== "pan") canvas.dispatchEvent(zoom);
    };
    const next = (frame) => {
      const now = performance.now();
      if (0 < frame) {
        intervals.push(now - before);
        scripts.push(window.spent);
      }
      before = now;
      window.spent = 0;
      if (frame === frames) {
        done({ scripts, intervals });
        return;
      }
      const start = performance.now();
      wheel(frame);
      window.spent += performance.now() - start;
      window.pictures(() => next(frame + 1));
    };
    window.pictures(() => next(0));
  });

const browser = await chromium.launch({ executablePath: given("RUNQUEUE_CHROMIUM"), args: CHROMIUM_FLAGS });

/** Opens a scenario; also counts the memories of its modules. */
const open = async (fragment) => {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  await page.addInitScript(watch);
  await page.addInitScript(findMemories);
  await page.route("**/worker_loader.js*", async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: `(${findMemories})();\n${await response.text()}` });
  });
  await page.goto(`${given("RUNQUEUE_URL")}${fragment}`);
  await page.locator("[data-testid='headline'][data-state='full'], [data-testid='timeline'][data-state='full']").first().waitFor({ timeout: 300_000 });
  await page.locator("#timeline-canvas").scrollIntoViewIfNeeded();
  return page;
};

line("what", "first bar", "goal", "measured");

const page = await open(MANY_SLICES);
await page.getByTestId("fit").click();
await page.getByTestId("timeline-details").locator("summary").click();
const caption = page.getByTestId("timeline-table-base").locator("caption");
await caption.waitFor({ timeout: 120_000 });
console.log(`kept: ${await caption.textContent()}`);
console.log(`      ${(await page.locator("#timeline > .help").allTextContents()).join(" ") || "every event"}`);
await page.getByTestId("timeline-details").locator("summary").click();
for (const [what, turn] of [["pan over the whole run", "pan"], ["pan and zoom", "both"]]) {
  await page.getByTestId("fit").click();
  if (turn === "pan") {
    await page.getByTestId("zoom-in").click();
  }
  await page.waitForTimeout(1000);
  const { scripts, intervals } = await page.evaluate(look, [FRAMES, turn]);
  line(`timeline frame, ${what}: script`, "16 ms", "8 ms", spread(scripts));
  line(`timeline frame, ${what}: from picture to picture`, "", "", spread(intervals));
}
await page.close();

for (const fragment of LARGEST) {
  const opened = await open(fragment);
  await opened.waitForTimeout(4000);
  const devtools = await opened.context().newCDPSession(opened);
  const { usedSize } = await devtools.send("Runtime.getHeapUsage");
  const modules = [await opened.evaluate(heldByModules)];
  for (const worker of opened.workers()) {
    modules.push(await worker.evaluate(heldByModules));
  }
  const sum = usedSize + modules.reduce((sum, bytes) => sum + bytes, 0);
  const parts = `JavaScript ${mib(usedSize)}, page ${mib(modules[0])}, workers ${modules.slice(1).map(mib).join(" + ")}`;
  line(`memory, ${fragment.slice(3, -1)}`, "400 MB", "", `${mib(sum)} (${parts})`);
  await opened.close();
}
await browser.close();
