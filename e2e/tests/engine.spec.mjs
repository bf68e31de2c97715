// The engine in the browser is the engine of the command line, to the last event.

import { expect, open, runqueue, test } from "../fixtures.mjs";
import { askSeeds, listen, rowsOf } from "../worker.mjs";

test("the page opens with a preset that has been run before and after the patch @smoke", async ({ page }) => {
  const [base, patched] = await open(page);
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

test("many seeds in one worker give the hashes and figures of the command line", async ({ page }) => {
  await page.addInitScript(listen);
  await open(page);
  const answers = await page.evaluate(askSeeds, [12, [0, 1]]);
  expect(answers.at(-1)).toBe("SeedsDone");
  const native = runqueue("compare", "hikey-schbench", "--seeds", "1..12");
  native.columns.forEach((column, position) => {
    const here = rowsOf(answers, position);
    expect(here.map((row) => row.trace_hash)).toEqual(column.runs.map((run) => run.trace_hash));
  });
});
