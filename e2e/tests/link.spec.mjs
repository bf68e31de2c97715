// A scenario is a link.

import { expect, fragment, hashes, open, simulated, test } from "../fixtures.mjs";

const shared = async (page) => {
  await page.getByRole("button", { name: "Share" }).first().click();
  const link = await page.getByRole("textbox", { name: "Link" }).inputValue();
  await page.keyboard.press("Escape");
  return link;
};

test("a link restores everything that was set", async ({ page }) => {
  await open(page, "1/hikey-schbench?seed=11~");
  await page.getByTestId("llc-spread-group_weight").check({ force: true });
  const slider = page.getByTestId("field-workload.sleep_us").getByRole("slider");
  await slider.focus();
  await slider.press("ArrowRight");
  const sleep = await slider.inputValue();
  await expect.poll(() => fragment(page)).toContain(`sleep_us=${sleep}`);
  const there = await simulated(page);
  const link = await shared(page);
  expect(link.length).toBeLessThan(500);
  await page.goto("about:blank");
  await page.goto(link);
  expect(await simulated(page)).toEqual(there);
  await expect(page.getByTestId("llc-spread-group_weight")).toBeChecked();
  await expect(slider).toHaveValue(sleep);
  await expect(page.getByTestId("seed")).toHaveValue("11");
});

test("a custom machine fits into a link", async ({ page }) => {
  await open(page, "1/hikey-schbench?machine=custom&machine.cores=3~");
  const there = await hashes(page);
  const link = await shared(page);
  await page.goto("about:blank");
  await page.goto(link);
  expect(await simulated(page)).toEqual(there);
});

test("a cut link is named as cut, and the page stays usable", async ({ page }) => {
  const whole = await open(page, "1/hikey-schbench?seed=12~");
  const link = await shared(page);
  await page.goto("about:blank");
  await page.goto(link.slice(0, -3));
  await expect(page.getByRole("alert").or(page.getByRole("status")).filter({ hasText: /cut/i }).first()).toBeVisible();
  await simulated(page);
  await page.goto("about:blank");
  await page.goto(link);
  expect(await simulated(page)).toEqual(whole);
});

test("a link with wrong values names all of them", async ({ page }) => {
  await page.goto("./#1/hikey-schbench?kernel.hz=7&workload.threads=100000&kernel.era=v9.9~");
  for (const word of ["kernel.hz", "workload.threads", "kernel.era"]) {
    await expect(page.getByText(word).first()).toBeVisible();
  }
});

test("the address follows, and back goes back", async ({ page }) => {
  const first = await open(page, "1/hikey-schbench?seed=1~");
  await page.goto("./#1/hikey-schbench?seed=2~");
  await expect.poll(() => simulated(page)).not.toEqual(first);
  await page.goBack();
  await expect.poll(() => simulated(page)).toEqual(first);
});
