// Panels that have no file of their own: the sweep, the columns of the editor, and the headline of programs that count.

import { expect, figures, hashes, open, simulated, test } from "../fixtures.mjs";

test("the sweep runs every value and stays until another kernel is chosen", async ({ page }) => {
  await open(page);
  const sweep = page.getByTestId("sweep");
  await expect(sweep).toHaveAttribute("data-state", "empty");
  await page.getByTestId("sweep-start").click();
  await expect(sweep).toHaveAttribute("data-state", "full");
  // HiKey: two groups on eight CPUs, so from two workers a group to five.
  const rows = page.getByTestId("sweep-table").locator("tbody tr");
  await expect(rows.locator("th")).toHaveText(["2", "3", "4", "5"]);
  // Where every CPU is wanted the patch makes long waits rarer, which is what the panel is there to show.
  const cells = await rows.nth(2).locator("td").allTextContents();
  // A mean and its range for each column: the first is the base, the last is patched.
  const [base, patched] = [cells.at(0), cells.at(-2)].map((words) => Number.parseFloat(words));
  expect(patched).toBeLessThan(base);
  // Another seed is no other sweep; another kernel is.
  await page.getByTestId("seed-next").click();
  await simulated(page);
  await expect(sweep).toHaveAttribute("data-state", "full");
  await page.getByTestId("llc-spread-shift").check({ force: true });
  await expect(sweep).toHaveAttribute("data-state", "empty");
});

test("a column is added, named, and taken away again", async ({ page }) => {
  const before = await open(page);
  const [base, ...others] = before;
  await page.getByTestId("group-Columns").locator("summary").first().click();
  await page.getByTestId("column-from").selectOption("base");
  await page.getByTestId("column-difference").selectOption("kernel.hz");
  await page.getByTestId("column-add").click();
  const more = await simulated(page, before.length + 1);
  expect([more[0], more.at(-1)]).toEqual([base, others.at(-1)]);
  // It stands behind the column that it was copied from, and differs from it.
  const place = 1;
  expect(more[place]).not.toBe(base);
  const name = page.getByTestId(`column-${place}`);
  await name.fill("ticks");
  await name.press("Tab");
  await expect(page.getByTestId("figure-ticks")).toBeVisible();
  // What cannot be a name is told beside the field, and nothing is run with it.
  await name.fill("base");
  await name.press("Tab");
  await expect(page.getByTestId("editor")).toHaveAttribute("data-state", "error");
  await expect(page.getByTestId("figure-ticks")).toBeVisible();
  await page.getByTestId("column-remove").nth(place).click();
  await expect.poll(() => hashes(page)).toEqual(before);
  await page.getByTestId("undo").click();
  await expect(figures(page)).toHaveCount(before.length + 1);
});

test("the headline of a program that counts is its throughput and how much that changes", async ({ page }) => {
  await open(page, "1/hikey-schbench?workload.kind=context1~");
  const headline = page.getByTestId("headline");
  await expect(headline.locator("[data-headline]")).toHaveAttribute("data-headline", "throughput_per_s");
  await expect(figures(page).first().locator(".big")).toHaveText(/\d.*\/s/);
  // A single seed tells nothing of a change; twenty pairs of runs do.
  await expect(headline.getByRole("heading")).toHaveText(/With the patch, throughput (is|rises|falls|changes) .*%|exactly the same/);
  await expect(page.getByTestId("percentiles")).toHaveAttribute("data-state", "empty");
  await expect(page.getByTestId("work")).toHaveAttribute("data-state", "full");
});
