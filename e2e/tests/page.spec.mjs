// What a visitor does: flips the switch, moves sliders, looks around.

import { expect, figures, fragment, hashes, open, runqueue, simulated, test } from "../fixtures.mjs";

/** The choice of a form of the patch. */
const form = (page, name) => page.getByTestId(`llc-spread-${name}`);

const field = (page, key) => page.getByTestId(`field-${key}`);

test("without the patch both compared columns are the same kernel, and with it again as before", async ({ page }) => {
  const all = await open(page);
  const [base, before] = all;
  await form(page, "off").check({ force: true });
  await expect.poll(() => simulated(page)).toEqual([base, before, base]);
  await form(page, "merged").check({ force: true });
  await expect.poll(() => simulated(page)).toEqual(all);
});

test("a rival form gives what the command line gives for it", async ({ page }) => {
  await open(page, "1/hikey-schbench?seed=3~");
  await form(page, "shift").check({ force: true });
  const native = runqueue(
    "run", "hikey-schbench", "--seed", "3", "--set", "columns.patched.patches.llc-spread=shift",
  );
  await expect.poll(() => simulated(page)).toEqual(native.columns.map((column) => column.trace_hash));
});

test("the counters of the patch's places agree with the switch", async ({ page }) => {
  await open(page);
  await expect(page.getByTestId("hunk-base-0").first()).toHaveText(/would change [1-9]/);
  await expect(page.getByTestId("hunk-patched-0").first()).toHaveText(/asked .* changed/);
});

test("a slider changes every chart and the address", async ({ page }) => {
  const before = await open(page);
  const slider = field(page, "workload.threads").getByRole("slider");
  await slider.focus();
  await slider.press("ArrowLeft");
  const threads = await slider.inputValue();
  const native = runqueue("run", "hikey-schbench", "--set", `workload.threads=${threads}`);
  await expect.poll(() => simulated(page)).toEqual(native.columns.map((column) => column.trace_hash));
  expect(await hashes(page)).not.toEqual(before);
  await expect.poll(() => fragment(page)).toContain(`threads=${threads}`);
});

test("undo brings the last scenario back", async ({ page }) => {
  const before = await open(page);
  await page.getByTestId("seed-next").click();
  await expect.poll(() => simulated(page)).not.toEqual(before);
  await page.getByTestId("undo").click();
  await expect.poll(() => simulated(page)).toEqual(before);
});

test("a value that cannot be is named, and the last good scenario stays", async ({ page }) => {
  const before = await open(page);
  const threads = field(page, "workload.threads").getByRole("textbox");
  await threads.fill("-3");
  await expect(threads).toHaveAttribute("aria-invalid", "true");
  await expect(field(page, "workload.threads").getByRole("alert")).not.toBeEmpty();
  expect(await simulated(page)).toEqual(before);
  await threads.fill("4");
  await expect(threads).not.toHaveAttribute("aria-invalid", "true");
});

test("the text of schbench is that of the run", async ({ page }) => {
  await open(page);
  const text = await page.getByTestId("text-base").textContent();
  expect(text).toMatch(/^Latency percentiles \(usec\)\n\t50\.0th: \d+\n/);
  expect(text).toMatch(/min=\d+, max=\d+\n$/);
});

test("the band over many seeds fills in the background", async ({ page }) => {
  await open(page);
  await expect.poll(async () => Number(await page.getByTestId("band-progress").getAttribute("data-done")), {
    timeout: 60_000,
  }).toBeGreaterThanOrEqual(200);
  await expect(figures(page).first()).toContainText(/of 200 seeds/);
});

test("the timeline is drawn, and the longest wait can be found on it", async ({ page }) => {
  await open(page);
  const canvas = page.getByTestId("timeline-canvas");
  const colours = () =>
    canvas.evaluate((element) => {
      const { width, height } = element;
      const { data } = element.getContext("2d").getImageData(0, 0, width, height);
      const seen = new Set();
      for (let at = 0; at < data.length; at += 4 * 97) {
        seen.add((data[at] << 16) | (data[at + 1] << 8) | data[at + 2]);
      }
      return seen.size;
    });
  await expect.poll(colours).toBeGreaterThan(8);
  await page.getByRole("button", { name: "Longest wait", exact: true }).click();
  await expect(page.getByTestId("timeline-wait")).toHaveText(/waits 1[2-6](\.\d)?\sms/);
});

test("a long simulation shows progress and can be cancelled", async ({ page }) => {
  const before = await open(page);
  await page.goto("./#1/hikey-schbench?workload.runtime_s=3600&workload.think_us=100&workload.sleep_us=100&run.max_events=2000000000~");
  await page.getByTestId("cancel-run").click();
  await expect(page.getByTestId("headline")).toHaveAttribute("data-state", "empty");
  await expect(page.getByTestId("headline")).toContainText("cancelled");
  await page.getByTestId("undo").click();
  await expect.poll(() => simulated(page)).toEqual(before);
});
