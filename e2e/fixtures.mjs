import { execFileSync } from "node:child_process";
import { expect, test as base } from "@playwright/test";
import { given } from "./browser.mjs";

/** A test in which anything that the page complains about is a failure. */
export const test = base.extend({
  complaints: [
    async ({ page }, use) => {
      const complaints = [];
      page.on("pageerror", (error) => complaints.push(String(error)));
      page.on("console", (message) => {
        if (message.type() === "error" || message.type() === "warning") {
          complaints.push(message.text());
        }
      });
      await use(complaints);
      expect(complaints, "the page complained in the console").toEqual([]);
    },
    { auto: true },
  ],
});

export { expect };

/** The headline figures, one a column. */
export const figures = (page) => page.locator("[data-testid^='figure-']");

/** The trace hashes of the columns, in their order. */
export const hashes = (page) =>
  figures(page).evaluateAll((found) => found.map((element) => element.dataset.traceHash));

/** Waits until what the address asks for has been simulated, and returns the trace hashes. */
export const simulated = async (page, columns = 3) => {
  await expect(page.getByTestId("headline")).toHaveAttribute("data-state", "full");
  await expect(figures(page)).toHaveCount(columns);
  return hashes(page);
};

/** Opens a scenario and waits until it has been simulated. */
export const open = async (page, fragment = "") => {
  await page.goto("about:blank");
  await page.goto(fragment ? `./#${fragment}` : "./");
  return simulated(page);
};

/** The part of the address that holds the scenario. */
export const fragment = (page) => new URL(page.url()).hash.slice(1);

/** What the command line answers, as JSON. */
export const runqueue = (...words) => JSON.parse(execFileSync(given("RUNQUEUE_CLI"), [...words, "--json"]));
