// Files for other tools: the page writes what the command line writes.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { given } from "../browser.mjs";
import { expect, open, test } from "../fixtures.mjs";

const FORMATS = ["perfetto", "ftrace", "csv", "chrome", "timehist", "schedstat", "metrics", "report"];

/** Presses a button and returns the file that the browser saves: its name and its bytes. */
const saved = async (page, button) => {
  const [download] = await Promise.all([page.waitForEvent("download"), button.click()]);
  return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
};

const native = (format) =>
  execFileSync(given("RUNQUEUE_CLI"), ["export", "hikey-schbench", "--format", format, "--seed", "3"], {
    maxBuffer: 1 << 28,
    stdio: ["ignore", "pipe", "ignore"],
  });

test("every format holds the bytes of the command line", async ({ page }) => {
  await open(page, "1/hikey-schbench?seed=3~");
  await page.getByTestId("export-open").click();
  for (const format of FORMATS) {
    await page.getByTestId("export-format").selectOption(format);
    const file = await saved(page, page.getByTestId("export-save"));
    await expect(page.getByTestId("export-status")).toContainText(`Saved ${file.name}`);
    expect(file.bytes.equals(native(format)), `${format}: ${file.bytes.length} bytes`).toBe(true);
  }
});

test("another column makes another file, named after it", async ({ page }) => {
  await open(page);
  await page.getByTestId("export-open").click();
  await page.getByTestId("export-format").selectOption("csv");
  const base = await saved(page, page.getByTestId("export-save"));
  await page.getByTestId("export-column").selectOption("patched");
  const patched = await saved(page, page.getByTestId("export-save"));
  expect([base.name, patched.name]).toEqual([
    "runqueue-hikey-schbench-base-seed1.csv",
    "runqueue-hikey-schbench-patched-seed1.csv",
  ]);
  expect(base.bytes.equals(patched.bytes)).toBe(false);
});

test("charts and the timeline become pictures", async ({ page }) => {
  await open(page);
  await page.getByTestId("export-open").click();
  const chart = await saved(page, page.getByTestId("export-svg").first());
  expect(String(chart.bytes)).toMatch(/^<\?xml.*\n<svg/);
  // The looks are in the file, which no style sheet comes with.
  expect(String(chart.bytes)).toMatch(/fill="rgb/);
  expect(String(chart.bytes)).not.toContain("class=");
  const buttons = page.getByTestId("export-png");
  for (const button of [buttons.first(), page.getByRole("group", { name: "Timeline" }).getByTestId("export-png")]) {
    const picture = await saved(page, button);
    expect(picture.name).toMatch(/\.png$/);
    expect([...picture.bytes.subarray(1, 4)]).toEqual([..."PNG"].map((letter) => letter.charCodeAt(0)));
    expect(picture.bytes.length).toBeGreaterThan(3000);
  }
});
