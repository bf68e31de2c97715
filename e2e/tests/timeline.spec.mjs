// The timeline by pointer and by keyboard: intervals, folding, threads, search and play.

import { expect, open, test } from "../fixtures.mjs";

const canvas = (page) => page.getByTestId("timeline-canvas");
const brush = (page) => page.getByTestId("timeline-brush");

/** The colours on the canvas at a share of its width, from the top down. */
const column = (page, share) =>
  canvas(page).evaluate((element, share) => {
    // A copy, because a canvas that is read again and again is moved to slower memory.
    const copy = new OffscreenCanvas(1, element.height).getContext("2d", { willReadFrequently: true });
    copy.drawImage(element, -Math.floor(element.width * share), 0);
    return Array.from(copy.getImageData(0, 0, 1, element.height).data).join();
  }, share);

test("an interval is pulled up with Shift, shown, and cleared", async ({ page }) => {
  await open(page);
  await page.getByTestId("fit").click();
  await canvas(page).scrollIntoViewIfNeeded();
  const { x, y, width, height } = await canvas(page).boundingBox();
  await page.mouse.move(x + width * 0.4, y + height / 2);
  await page.keyboard.down("Shift");
  await page.mouse.down();
  await page.mouse.move(x + width * 0.6, y + height / 2, { steps: 5 });
  await page.mouse.up();
  await page.keyboard.up("Shift");
  await expect(brush(page)).toHaveText(/The charts show \d\.\d+\ss to \d\.\d+\ss alone \(2(\.\d+)?\ss\)\./);
  await page.mouse.move(0, 0);
  const inside = await column(page, 0.5);
  await page.getByTestId("brush-clear").click();
  await expect(brush(page)).toBeEmpty();
  await expect.poll(() => column(page, 0.5)).not.toBe(inside);
});

test("an interval is begun and ended by keys, and forgotten with the scenario", async ({ page }) => {
  await open(page);
  await canvas(page).focus();
  await page.keyboard.press("b");
  await expect(brush(page)).toHaveText(/^The interval begins at .* Press b again/);
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("b");
  await expect(brush(page)).toHaveText(/^The charts show /);
  await page.keyboard.press("Escape");
  await expect(brush(page)).toBeEmpty();
  await page.getByTestId("brush-view").click();
  await expect(brush(page)).toHaveText(/^The charts show /);
  await page.getByTestId("seed-next").click();
  await expect(brush(page)).toBeEmpty();
});
