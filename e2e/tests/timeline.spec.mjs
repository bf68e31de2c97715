// The timeline by pointer and by keyboard: intervals, folding, threads, search and play.

import AxeBuilder from "@axe-core/playwright";
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

const height = (page) => canvas(page).evaluate((element) => element.clientHeight);
const said = (page) => page.getByTestId("timeline-said");
const wait = (page) => page.getByTestId("timeline-wait");

test("caches fold by button, by a press on their name and by key, and stay folded in the next run", async ({ page }) => {
  await open(page);
  const open_ = await height(page);
  await page.getByTestId("timeline-fold-llc").check({ force: true });
  await expect.poll(() => height(page)).toBeLessThan(open_);
  const folded = await height(page);
  await expect(page.locator("#timeline .swatches")).toContainText("folded");
  const before = await page.getByTestId("figure-base").getAttribute("data-trace-hash");
  await page.getByTestId("seed-next").click();
  await expect.poll(() => page.getByTestId("figure-base").getAttribute("data-trace-hash")).not.toBe(before);
  expect(await height(page)).toBe(folded);
  // The first folded lane stands under the overview with its row for each column, the axis and the run's name.
  const columns = await page.locator("[data-testid^='figure-']").count();
  await canvas(page).click({ position: { x: 60, y: 18 * columns + 63 } });
  await expect.poll(() => height(page)).toBeGreaterThan(folded);
  await page.getByTestId("timeline-fold-none").check({ force: true });
  await expect.poll(() => height(page)).toBe(open_);
  await canvas(page).focus();
  await page.keyboard.press("ArrowDown");
  await expect(page.getByTestId("timeline-under")).toContainText("CPU");
  await page.keyboard.press("f");
  await expect.poll(() => height(page)).toBeLessThan(open_);
  await expect(page.getByTestId("timeline-under")).toHaveText(/base, .*: /);
});

test("threads have lanes, by control and by key", async ({ page }) => {
  await open(page);
  await page.getByTestId("timeline-lanes-tasks").check({ force: true });
  await expect(page.locator("#timeline .swatches")).toContainText("sleeps");
  await canvas(page).focus();
  await page.keyboard.press("ArrowDown");
  await expect(page.getByTestId("timeline-followed")).not.toBeEmpty();
  await expect(page.getByTestId("timeline-under")).toHaveText(/^base, .*: \S+ (runs on|waits for|sleeps|was woken)/);
  await page.keyboard.press("t");
  await expect(page.getByTestId("timeline-lanes-cpus")).toBeChecked();
});

test("a thread is found by name and followed by keys through its slices, wake-ups and decisions", async ({ page }) => {
  await open(page);
  await page.getByTestId("fit").click();
  const field = page.getByTestId("timeline-search");
  await field.fill("wrk-1-2");
  await expect(page.locator("#timeline-tasks option")).toHaveCount(1);
  await field.press("Enter");
  await expect(page.getByTestId("timeline-followed")).toHaveText("wrk-1-2");
  const moment = async () => Number(/(\d+\.\d{9})/.exec(await wait(page).textContent())?.[1] ?? 0);
  await expect(wait(page)).toHaveText(/switches to wrk-1-2\./);
  const first = await moment();
  await field.press("Enter");
  await expect.poll(moment).toBeGreaterThan(first);
  await canvas(page).focus();
  await page.keyboard.press("Shift+S");
  await expect.poll(moment).toBe(first);
  await page.keyboard.press("u");
  await expect(wait(page)).toHaveText(/wrk-1-2 is about to be woken/);
  expect(await moment()).toBeGreaterThan(first);
  const woken = await moment();
  await page.keyboard.press("Shift+E");
  await expect.poll(moment).toBeLessThan(woken);
  await page.keyboard.press(".");
  await expect(page.getByTestId("inspector")).toHaveAttribute("data-state", "full");
  await expect(page.getByTestId("inspector")).toContainText("wrk-1-2");
  await page.getByTestId("unfollow").click();
  await expect(page.getByTestId("timeline-followed")).toHaveCount(0);
  await field.fill("nobody at all");
  await field.press("Enter");
  await expect(said(page)).toHaveText("No thread has this name.");
});

test("the run plays and pauses by the space bar, and the charts follow", async ({ page }) => {
  await open(page);
  await page.getByTestId("fit").click();
  await page.getByTestId("play-speed").fill("60");
  await expect(page.getByTestId("play-speed-words")).toHaveText(/1\ss of the run a second/);
  await canvas(page).focus();
  await page.keyboard.press("Space");
  await expect(page.getByTestId("play")).toHaveText("Pause");
  await expect(said(page)).toHaveText("Playing.");
  const played = async () => Number(/(\d+\.\d+)/.exec(await page.getByTestId("played").textContent())[1]);
  await expect.poll(played).toBeGreaterThan(0.3);
  await page.keyboard.press("Space");
  await expect(page.getByTestId("play")).toHaveText("Play");
  await expect(said(page)).toHaveText(/^Paused at /);
  const paused = await played();
  await expect(brush(page)).toHaveText(/^The charts show 0\.0+\ss to /);
  await page.waitForTimeout(300);
  expect(await played()).toBe(paused);
  await page.getByTestId("play-event").click();
  await expect.poll(played).toBeGreaterThan(paused);
  await page.getByTestId("play-decision").click();
  await expect(page.getByTestId("inspector")).toHaveAttribute("data-state", "full");
  await page.getByTestId("play-stop").click();
  await expect(page.getByTestId("played")).toHaveCount(0);
  await expect(brush(page)).toBeEmpty();
});

test("where motion is not wanted the run goes on in steps", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await open(page);
  await page.getByTestId("fit").click();
  await page.getByTestId("play-speed").fill("60");
  await page.getByTestId("play").click();
  const played = async () => Number(/(\d+\.\d+)/.exec(await page.getByTestId("played").textContent())[1]);
  let before = await played();
  for (let step = 0; step < 2; step += 1) {
    await expect.poll(played).toBeGreaterThan(before);
    const now = await played();
    // A second of the run a second, in steps of a second: nothing in between is ever shown.
    expect(now - before).toBeGreaterThan(0.99);
    before = now;
  }
});

test("two fingers zoom and move, and a finger that rests tells what is under it", async ({ browser }) => {
  const context = await browser.newContext({ viewport: { width: 412, height: 900 }, hasTouch: true });
  const page = await context.newPage();
  await open(page);
  await page.getByTestId("fit").click();
  await canvas(page).scrollIntoViewIfNeeded();
  const { x, y, width } = await canvas(page).boundingBox();
  const devtools = await context.newCDPSession(page);
  const touch = (type, ...points) =>
    devtools.send("Input.dispatchTouchEvent", {
      type,
      touchPoints: points.map(([px, py], id) => ({ x: x + px, y: y + py, id })),
    });
  const whole = await column(page, 0.5);
  await touch("touchStart", [width * 0.5, 130]);
  await touch("touchStart", [width * 0.5, 130], [width * 0.7, 130]);
  for (const spread of [0.2, 0.3, 0.4]) {
    await touch("touchMove", [width * (0.6 - spread / 2), 130], [width * (0.6 + spread / 2), 130]);
  }
  await touch("touchEnd");
  await expect.poll(() => column(page, 0.5)).not.toBe(whole);
  await expect(page.getByTestId("inspector")).toHaveAttribute("data-state", "empty");
  await touch("touchStart", [width * 0.6, 130]);
  await expect(page.getByTestId("timeline-under")).toHaveText(/CPU.\d (is idle|runs)/);
  await touch("touchEnd");
  await expect(page.getByTestId("inspector")).toHaveAttribute("data-state", "empty");
  await context.close();
});

test("what is in view can be read as a table by keyboard, whatever the lanes are", async ({ page }) => {
  await open(page);
  await page.getByTestId("timeline-lanes-tasks").check({ force: true });
  await page.getByTestId("timeline-details").locator("summary").focus();
  await page.keyboard.press("Enter");
  const table = page.getByTestId("timeline-table-base");
  await expect(table.locator("tbody tr").first()).toBeVisible();
  await expect(table).toContainText("slices in view");
});

for (const colorScheme of ["light", "dark"]) {
  test(`the timeline is for everyone and fits a phone in ${colorScheme}`, async ({ page }) => {
    await page.setViewportSize({ width: 360, height: 740 });
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await open(page);
    await page.getByTestId("timeline-search").fill("wrk-0-1");
    await page.getByTestId("timeline-search").press("Enter");
    await page.getByTestId("play-event").click();
    await expect(page.getByTestId("played")).toBeVisible();
    const { violations } = await new AxeBuilder({ page })
      .include("#timeline")
      .withTags(["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"])
      .analyze();
    expect(violations.map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html }) => html) }))).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
  });
}
