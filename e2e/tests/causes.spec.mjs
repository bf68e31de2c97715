// From a wait to its cause, and from there to the cause of that.

import AxeBuilder from "@axe-core/playwright";
import { expect, open, test } from "../fixtures.mjs";

const causes = (page) => page.getByTestId("causes");
const links = (page) => page.getByTestId("causes-chain").locator(":scope > li");

/** Goes from the longest wait to its cause. */
const first = async (page) => {
  await open(page);
  await page.keyboard.press("w");
  await expect(causes(page)).toHaveAttribute("data-state", "full");
  await page.keyboard.press("c");
  await expect(links(page)).toHaveCount(1);
  await expect(causes(page)).toHaveAttribute("data-state", "full");
};

test("one key goes from the longest wait to the decision behind it, and on to the cause of that", async ({ page }) => {
  await first(page);
  await expect(links(page).first()).toContainText(/wrk-\S+ waits for CPU.\d, because/);
  const opened = links(page).first().getByTestId("cause-open").first();
  const [, moment] = /at (\S+)/.exec(await opened.textContent());
  await expect(page.getByTestId("inspector-summary")).toContainText(moment);
  const title = await page.getByTestId("decision-title").textContent();
  await page.keyboard.press("c");
  await expect(links(page)).toHaveCount(2);
  // The one behind it is named by the first link.
  const [, next] = /← (\S+) /.exec(await links(page).first().locator(".cause-next").textContent());
  await expect(links(page).nth(1)).toContainText(next);
  await page.keyboard.press("Shift+C");
  await expect(links(page)).toHaveCount(1);
  await expect(page.getByTestId("decision-title")).toHaveText(title);
  await expect(page.getByTestId("inspector-summary")).toContainText(moment);
});

test("the buttons go the same way, from a decision too, and a refusal can be opened", async ({ page }) => {
  await open(page);
  await page.getByTestId("divergence-first").click();
  await expect(page.getByTestId("inspector")).toHaveAttribute("data-state", "full");
  const sentence = await page.getByTestId("divergence-sentence").textContent();
  const [, task] = /(wrk-\S+) waited/.exec(sentence);
  await page.getByTestId("inspector-cause").click();
  await expect(links(page)).toHaveCount(1);
  await expect(links(page).first()).toContainText(task);
  await expect(links(page).first()).toContainText("left it there");
  await links(page).first().getByText("Open the refusal").first().click();
  await expect(page.getByTestId("decision-outcome")).toContainText("moved no task");
  await expect(links(page)).toHaveCount(1);
  await page.getByTestId("cause-back").click();
  await expect(links(page)).toHaveCount(0);
  await page.getByTestId("cause-next").click();
  await expect(links(page)).toHaveCount(1);
});

test("another wait begins a chain of its own", async ({ page }) => {
  await first(page);
  await page.keyboard.press("n");
  await expect(links(page)).toHaveCount(0);
  await page.keyboard.press("c");
  await expect(links(page)).toHaveCount(1);
});

test("the longest wait of a thread is shown and explained", async ({ page }) => {
  await open(page);
  const longest = page.getByTestId("waiters-base").getByTestId("waiter-longest").first();
  const [, task] = /wait of (\S+) in/.exec(await longest.getAttribute("aria-label"));
  await longest.click();
  await expect(causes(page)).toContainText(task);
  await page.keyboard.press("c");
  await expect(links(page).first()).toContainText(`${task} waits for`);
});

for (const colorScheme of ["light", "dark"]) {
  test(`a chain and the waits are for everyone and fit a phone in ${colorScheme}`, async ({ page }) => {
    await page.setViewportSize({ width: 360, height: 740 });
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await first(page);
    const { violations } = await new AxeBuilder({ page })
      .include("#causes")
      .include("#work")
      .withTags(["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"])
      .analyze();
    expect(violations.map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html }) => html) }))).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
  });
}
