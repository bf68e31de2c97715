// The hosted page in Firefox, over WebDriver BiDi: it opens, simulates, and gives the same trace hashes.
// Playwright wants its own Firefox; this one is the system's.

import { execFileSync } from "node:child_process";
import puppeteer from "puppeteer-core";
import { given } from "./browser.mjs";
import { watch } from "./worker.mjs";

const SEED = 7;
const checks = [];
const check = (name, holds, detail = "") => {
  checks.push(holds);
  console.log(`${holds ? "ok    " : "FAILED"} firefox: ${name}${holds ? "" : `: ${detail}`}`);
};

const native = JSON.parse(
  execFileSync(given("RUNQUEUE_CLI"), ["run", "hikey-schbench", "--seed", String(SEED), "--json"]),
).columns.map((column) => column.trace_hash);

const browser = await puppeteer.launch({
  browser: "firefox",
  executablePath: given("RUNQUEUE_FIREFOX"),
  headless: true,
});
try {
  const page = await browser.newPage();
  const errors = [];
  page.on("pageerror", (error) => errors.push(String(error)));
  await page.evaluateOnNewDocument(watch);
  await page.setViewport({ width: 1280, height: 900 });
  await page.goto(`${given("RUNQUEUE_URL")}#1/hikey-schbench?seed=${SEED}~`);
  await page.waitForSelector("[data-testid='headline'][data-state='full']", { timeout: 60_000 });
  check("the page opens and simulates", true);
  const shown = await page.$$eval("[data-testid^='figure-']", (found) => found.map((element) => element.dataset.traceHash));
  check("trace hashes are those of the command line", String(shown) === String(native), `${shown} / ${native}`);
  await page.waitForFunction(() => 50 <= window.watched.hashes.length, { timeout: 60_000 });
  check("workers run many seeds in the background", true);
  check("no errors", errors.length === 0, errors.join("; "));
} catch (error) {
  check("no step fails", false, String(error));
} finally {
  await browser.close();
}

const failed = checks.filter((holds) => !holds).length;
console.log(`test result: ${failed ? "FAILED" : "ok"}. ${checks.length - failed} passed; ${failed} failed`);
process.exitCode = failed ? 1 : 0;
