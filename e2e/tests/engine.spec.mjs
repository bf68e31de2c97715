// The engine in the browser is the engine of the command line, to the last event.

import { expect, open, runqueue, test } from "../fixtures.mjs";
import { watch } from "../worker.mjs";

test("the page opens with a preset that has been run before and after the patch @smoke", async ({ page }) => {
  const [base, , patched] = await open(page);
  expect(base).toMatch(/^[0-9a-f]{16}$/);
  expect(patched).not.toEqual(base);
});

test("the trace hashes of the page are those of the command line @smoke", async ({ page }) => {
  for (const seed of [1, 7, 4_294_967_311]) {
    const native = runqueue("run", "hikey-schbench", "--seed", String(seed));
    const shown = await open(page, `1/hikey-schbench?seed=${seed}~`);
    expect(shown).toEqual(native.columns.map((column) => column.trace_hash));
  }
});

test("the band over many seeds is that of the command line, run by run", async ({ page }) => {
  await page.addInitScript(watch);
  await open(page);
  const native = runqueue("compare", "hikey-schbench", "--seeds", "1..200");
  const expected = native.columns.flatMap((column) => column.runs.map((run) => run.trace_hash)).toSorted();
  await expect
    .poll(() => page.evaluate(() => window.watched.hashes.toSorted()), { timeout: 60_000 })
    .toEqual(expected);
});
