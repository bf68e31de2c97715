// For everyone: by keyboard alone, with a screen reader, in both colour schemes, on a phone.

import AxeBuilder from "@axe-core/playwright";
import { expect, open, simulated, test } from "../fixtures.mjs";

const openAllDetails = (page) =>
  page.evaluate(() => document.querySelectorAll("details").forEach((element) => { element.open = true; }));

for (const colorScheme of ["light", "dark"]) {
  test(`axe finds nothing in ${colorScheme}`, async ({ page }) => {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await open(page);
    await openAllDetails(page);
    const { violations } = await new AxeBuilder({ page })
      .withTags(["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"])
      .analyze();
    expect(violations.map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html }) => html) }))).toEqual([]);
  });
}

test("axe finds nothing in the dialogs", async ({ page }) => {
  await open(page);
  for (const name of ["Share", "Export", "Keyboard shortcuts"]) {
    await page.getByRole("button", { name }).first().click();
    await expect(page.getByRole("dialog")).toBeVisible();
    const { violations } = await new AxeBuilder({ page }).analyze();
    expect(violations.map(({ id }) => id)).toEqual([]);
    await page.keyboard.press("Escape");
    await expect(page.getByRole("dialog")).toBeHidden();
  }
});

/** Presses Tab until an element has the focus. */
const tabTo = async (page, locator) => {
  for (let presses = 0; presses < 120; presses += 1) {
    if (await locator.evaluate((element) => element === document.activeElement)) {
      return;
    }
    await page.keyboard.press("Tab");
  }
  throw new Error(`the keyboard does not reach ${locator}`);
};

test("the whole path works by keyboard", async ({ page }) => {
  const all = await open(page);
  const [base, before] = all;
  await page.keyboard.press("Tab");
  await expect(page.getByRole("link", { name: "Skip to the results" })).toBeFocused();
  await tabTo(page, page.getByTestId("llc-spread-merged"));
  await page.keyboard.press("ArrowLeft");
  await expect.poll(() => simulated(page)).toEqual([base, before, base]);
  await page.keyboard.press("ArrowRight");
  await expect.poll(() => simulated(page)).toEqual(all);
  await tabTo(page, page.getByTestId("timeline-canvas"));
  await page.keyboard.press("n");
  await expect(page.getByTestId("timeline-wait")).toContainText("waits");
  await tabTo(page, page.getByTestId("seed-next"));
  await page.keyboard.press("Enter");
  await expect.poll(() => simulated(page)).not.toEqual(all);
});

test("focus is always visible", async ({ page }) => {
  await open(page);
  for (let presses = 0; presses < 15; presses += 1) {
    await page.keyboard.press("Tab");
    const shows = await page.evaluate(() => {
      const focused = document.activeElement;
      const around = [focused, focused.closest("label"), focused.parentElement].filter(Boolean);
      return around.some((element) => {
        const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(element);
        return (outlineStyle !== "none" && outlineWidth !== "0px") || boxShadow !== "none";
      });
    });
    expect(shows, await page.evaluate(() => document.activeElement.outerHTML.slice(0, 120))).toBe(true);
  }
});

for (const colorScheme of ["light", "dark"]) {
  test(`nothing sticks out of a phone's screen in ${colorScheme}`, async ({ page }) => {
    await page.setViewportSize({ width: 360, height: 740 });
    await page.emulateMedia({ colorScheme });
    await open(page);
    await openAllDetails(page);
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(width).toBeLessThanOrEqual(360);
  });
}
