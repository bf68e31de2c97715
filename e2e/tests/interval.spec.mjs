// Charts that are restricted to an interval of the run.

import { expect, figures, open, test } from "../fixtures.mjs";

test("an interval restricts the charts, and what cannot be restricted says so", async ({ page }) => {
  await open(page);
  const work = page.getByTestId("work");
  await expect(work).toHaveAttribute("data-state", "full");
  const whole = await work.getByTestId("work-table").textContent();
  // The page opens on the longest wait.
  await page.getByTestId("brush-view").click();
  for (const id of ["percentiles", "distribution", "work", "figures"]) {
    await expect(page.getByTestId(id)).toContainText(/from \d.*s to \d.*s of the run/);
    await expect(page.getByTestId(id)).toHaveAttribute("data-state", "full");
  }
  await expect(figures(page).first()).toContainText("wake-ups in it");
  const most = page.getByTestId("figures-table").locator("tr").filter({ hasText: "Recorded latencies" });
  const [, inside] = /\D(\d+)/.exec(await most.locator("td").first().evaluate((cell) => ` ${cell.textContent}`));
  expect(Number(inside)).toBeLessThan(20);
  expect(await work.getByTestId("work-table").textContent()).not.toBe(whole);
  for (const id of ["output", "sweep", "seeds", "patch"]) {
    await expect(page.getByTestId(id)).toContainText("of the whole run: this cannot be restricted");
  }
  await page.getByTestId("brush-clear").click();
  await expect(page.getByTestId("percentiles")).not.toContainText("of the run");
  await expect(work.getByTestId("work-table")).toHaveText(whole);
});

test("another scenario is shown whole", async ({ page }) => {
  await open(page);
  await page.getByTestId("brush-view").click();
  await expect(figures(page).first()).toContainText("wake-ups in it");
  await page.getByTestId("llc-spread-off").check({ force: true });
  await expect(figures(page).first()).not.toContainText("wake-ups in it");
});
