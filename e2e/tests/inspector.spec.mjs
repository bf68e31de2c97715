// From a difference to its cause: where the runs part, and the decision behind it.

import AxeBuilder from "@axe-core/playwright";
import { expect, open, simulated, test } from "../fixtures.mjs";

const inspector = (page) => page.getByTestId("inspector");
const divergence = (page) => page.getByTestId("divergence");

/** The moments of what the inspector shows, in seconds. */
const moment = async (page) => {
  const words = await page.getByTestId("inspector-summary").textContent();
  return Number(/ (\d+\.\d{9})/.exec(words)[1]);
};

test("the first divergence leads to the balance attempt that refused the task", async ({ page }) => {
  await open(page);
  await expect(divergence(page)).toHaveAttribute("data-state", "empty");
  await expect(inspector(page)).toHaveAttribute("data-state", "empty");
  await page.getByTestId("divergence-first").click();
  const sentence = page.getByTestId("divergence-sentence");
  await expect(sentence).toHaveText(/base moved no task to CPU.\d, patched moved 1 task to CPU.\d\./);
  await expect(sentence).toHaveText(/wrk-\S+ waited .* in base and .* in patched; meanwhile CPU.\d idled for .* in base\./);
  const [, task] = /(wrk-\S+) waited/.exec(await sentence.textContent());

  await expect(inspector(page)).toHaveAttribute("data-state", "full");
  await expect(page.getByTestId("decision-title")).toContainText("ran out of work");
  await expect(page.getByTestId("decision-outcome")).toContainText("moved no task");
  const refusal = inspector(page).locator("[data-check='detach']");
  await expect(refusal).toContainText(`Does ${task} fit what may be moved?`);
  await expect(refusal).toContainText("no, it counts as a utilisation of 1024, and only");
  await expect(refusal).toContainText("detach_tasks()");
  const hunk = inspector(page).locator("[data-check='hunk']").first();
  await expect(hunk.locator(".active")).toContainText("without the patch");
  await expect(hunk.getByRole("link")).toHaveAttribute("href", /^https:\/\/lore\.kernel\.org\//);
  const waiting = page.getByTestId("inspector-queues").getByRole("row").filter({ hasText: task });
  await expect(waiting).toHaveCount(1);

  const other = page.getByTestId("divergence-patched");
  await expect(other.locator("[data-check='detach']")).toContainText("yes, it is moved");
});

test("keys go from divergence to divergence and from decision to decision", async ({ page }) => {
  await open(page);
  await page.keyboard.press("d");
  await expect(inspector(page)).toHaveAttribute("data-state", "full");
  const first = await moment(page);
  await page.keyboard.press("d");
  await expect.poll(() => moment(page)).toBeGreaterThan(first);
  await expect(divergence(page)).toContainText("Divergence 2");
  await page.keyboard.press("Shift+D");
  await expect.poll(() => moment(page)).toBe(first);

  await page.getByTestId("decision-kind").selectOption("placement");
  await inspector(page).click({ position: { x: 4, y: 4 } });
  await page.keyboard.press("Tab");
  await page.keyboard.press(".");
  await expect.poll(() => moment(page)).toBeGreaterThan(first);
  await expect(page.getByTestId("decision-title")).toHaveText(/^Where does .* wake up\?$/);
  const second = await moment(page);
  await page.keyboard.press(",");
  await expect.poll(() => moment(page)).toBeLessThan(second);
  await expect(page.getByTestId("decision-title")).toHaveText(/^Where does .* wake up\?$/);
});

test("a click on a lane opens what its CPU decided last", async ({ page }) => {
  await open(page);
  const canvas = page.getByTestId("timeline-canvas");
  const { width, height } = await canvas.boundingBox();
  await canvas.click({ position: { x: width / 2, y: height / 3 } });
  await expect(inspector(page)).toHaveAttribute("data-state", "full");
  await expect(page.getByTestId("decision-title")).toHaveText(/\?$/);
});

test("without the patch the runs do not part, and the inspector forgets the runs that are gone", async ({ page }) => {
  const [base, before] = await open(page);
  await page.keyboard.press("d");
  await expect(inspector(page)).toHaveAttribute("data-state", "full");
  await page.getByTestId("llc-spread-off").check({ force: true });
  await expect.poll(() => simulated(page)).toEqual([base, before, base]);
  await expect(inspector(page)).toHaveAttribute("data-state", "empty");
  await page.getByTestId("divergence-first").click();
  await expect(divergence(page)).toContainText("do not part");
});

test("a word of the glossary opens by the keyboard, there and where it stands", async ({ page }) => {
  await open(page);
  const meaning = page.getByText("How much is to be moved in a balance attempt");
  await expect(meaning).toBeHidden();
  const word = page.getByTestId("glossary").getByRole("button", { name: "imbalance" });
  await word.focus();
  await page.keyboard.press("Enter");
  await expect(meaning).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(meaning).toBeHidden();
  await page.keyboard.press("d");
  await expect(inspector(page)).toHaveAttribute("data-state", "full");
  await page.getByTestId("inspector-queues").getByRole("button", { name: /^util_avg/ }).click();
  await expect(page.getByText("What is 32 ms ago")).toBeVisible();
});

for (const colorScheme of ["light", "dark"]) {
  test(`an open decision is for everyone and fits a phone in ${colorScheme}`, async ({ page }) => {
    await page.setViewportSize({ width: 360, height: 740 });
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await open(page);
    await page.keyboard.press("d");
    await expect(inspector(page)).toHaveAttribute("data-state", "full");
    const { violations } = await new AxeBuilder({ page })
      .include("#divergence")
      .include("#inspector")
      .withTags(["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"])
      .analyze();
    expect(violations.map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html }) => html) }))).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
  });
}

test("of three columns any other one can be compared with the first", async ({ page }) => {
  await page.goto("./#1/vm32-schbench~");
  await simulated(page, 3);
  await page.keyboard.press("d");
  const sentence = page.getByTestId("divergence-sentence");
  await expect(sentence).toContainText("patched");
  await page.getByTestId("against-revert").check({ force: true });
  await expect(sentence).toContainText("revert");
  await expect(page.getByTestId("divergence-patched")).toContainText("revert");
});
