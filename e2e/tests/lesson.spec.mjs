// Lessons: opened by a link, walked through by keys, decisions predicted and shown.

import AxeBuilder from "@axe-core/playwright";
import { expect, fragment, simulated, test } from "../fixtures.mjs";

const title = (page) => page.getByTestId("lesson-title");
const predict = (page) => page.getByTestId("predict");

/** Opens a screen of the first lesson and waits for its text. */
const lesson = async (page, screen, query = "") => {
  await page.goto("about:blank");
  await page.goto(`./#lesson/llc-spread/${screen}${query}`);
  await expect(page.getByTestId("lesson")).toHaveAttribute("data-state", "full");
};

/** The figures that stand in the text and under it, once all of them are there. */
const live = async (page) => {
  const figures = page.locator("[data-figure]");
  await expect(figures.filter({ hasText: "…" })).toHaveCount(0);
  return figures.allTextContents();
};

test("the list leads to the lesson, and the lesson back to the playground with its scenario", async ({ page }) => {
  await page.goto("./");
  await simulated(page);
  await page.getByTestId("lessons-open").click();
  await expect(title(page)).toHaveText("Lessons");
  expect(fragment(page)).toBe("lesson");
  await page.getByTestId("lesson-open").first().click();
  await expect(title(page)).toHaveText("Eight workers, eight CPUs");
  expect(fragment(page)).toBe("lesson/llc-spread/1");
  await live(page);
  await page.getByTestId("lesson-leave").click();
  await simulated(page, 1);
  await expect.poll(() => fragment(page)).toMatch(/^1[/.]/);
  await page.goBack();
  await expect(title(page)).toHaveText("Eight workers, eight CPUs");
});

test("arrow keys walk through all screens, each with its address, and back takes one step", async ({ page }) => {
  await lesson(page, 1);
  const seen = [];
  for (let screen = 1; screen <= 6; screen += 1) {
    await expect.poll(() => fragment(page)).toBe(`lesson/llc-spread/${screen}`);
    seen.push(await title(page).textContent());
    await page.keyboard.press("ArrowRight");
    if (screen < 6) {
      await expect(title(page)).not.toHaveText(seen.at(-1));
      await expect(title(page)).toBeFocused();
    }
  }
  expect(new Set(seen).size).toBe(6);
  await expect(title(page)).toHaveText(seen[5]);
  await page.keyboard.press("ArrowLeft");
  await expect(title(page)).toHaveText(seen[4]);
  await page.goBack();
  await expect(title(page)).toHaveText(seen[5]);
  await page.getByTestId("lesson-back").click();
  await expect(title(page)).toHaveText(seen[4]);
});

test("a lane is clicked, and the kernel's own search is opened", async ({ page }) => {
  await lesson(page, 2);
  await expect(page.getByTestId("question")).toHaveText(/The messenger on CPU.\d is waking wrk-\d-\d/);
  await expect(page.getByTestId("timeline")).toHaveCount(0);
  await page.getByTestId("lane-1").click();
  await expect(page.getByTestId("choice-1")).toBeChecked();
  await page.getByTestId("reveal").click();
  const verdict = page.getByTestId("verdict");
  await expect(verdict).toBeFocused();
  await expect(verdict).toHaveText(/You said: CPU.1\. It is: CPU.\d\./);
  const chosen = /It is: (CPU.\d)/.exec(await verdict.textContent())[1];
  await expect(page.getByTestId("rule")).toContainText("available_idle_cpu()");
  await expect(page.getByTestId("inspector")).toHaveAttribute("data-state", "full");
  await expect(page.getByTestId("decision-outcome")).toContainText(`chose ${chosen}`);
  await expect(page.getByTestId("timeline-wait")).toContainText("waits");
});

test("keys alone answer whether the idle CPU helps, and the refusal is opened", async ({ page }) => {
  await lesson(page, 3);
  await expect(predict(page)).toHaveAttribute("data-state", "full");
  await page.keyboard.press("y");
  await page.keyboard.press("r");
  await expect(page.getByTestId("verdict")).toContainText("It is: it leaves the thread where it is.");
  await expect(page.getByTestId("rule")).toContainText("detach_tasks()");
  const refusal = page.getByTestId("inspector").locator("[data-check='detach']");
  await expect(refusal).toContainText("no, it counts as a utilisation of 1024");
});

test("a real-time thread takes the CPU before the patch, and goes to an idle one with it", async ({ page }) => {
  const answer = async (screen) => {
    await page.goto("about:blank");
    await page.goto(`./#lesson/rt-idle-first/${screen}`);
    await expect(predict(page)).toHaveAttribute("data-state", "full");
    const question = await page.getByTestId("question").textContent();
    const [, previous] = /ran last on (CPU.\d), where \S+ runs now/.exec(question);
    await page.keyboard.press(previous.at(-1));
    await page.keyboard.press("r");
    await expect(page.getByTestId("inspector")).toContainText("select_task_rq_rt()");
    return page.getByTestId("verdict").textContent();
  };
  expect(await answer(2)).toContain("You were right");
  expect(await answer(3)).toContain("the kernel decides otherwise");
});

test("the list of choices works by keyboard without any shortcut", async ({ page }) => {
  await lesson(page, 3);
  await expect(predict(page)).toHaveAttribute("data-state", "full");
  await page.getByTestId("choice-1").focus();
  await page.keyboard.press("Space");
  await page.keyboard.press("ArrowDown");
  await expect(page.getByTestId("choice-0")).toBeChecked();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await expect(page.getByTestId("verdict")).toContainText("You were right");
});

test("the same number asks the same question, another one another", async ({ page }) => {
  const question = async (number) => {
    await lesson(page, 2, number ? `?variant=${number}` : "");
    await expect(predict(page)).toHaveAttribute("data-state", "full");
    return page.locator(".lanes-around .tick").textContent();
  };
  const own = await question(20250017);
  expect(await question(20250017)).toBe(own);
  expect(await question(20250018)).not.toBe(own);

  await page.getByTestId("variant").fill("20250017");
  await page.keyboard.press("Tab");
  await expect(page.locator(".lanes-around .tick")).toHaveText(own);
  expect(fragment(page)).toBe("lesson/llc-spread/2?variant=20250017");
  await page.getByTestId("variant").fill("me");
  await page.keyboard.press("Tab");
  await expect(page.locator("#lesson-variant-help")).toContainText("A whole number");
  await expect(page.locator(".lanes-around .tick")).toHaveText(own);
});

test("the patch is flipped by a button, and every figure follows", async ({ page }) => {
  await lesson(page, 4);
  const before = await live(page);
  expect(before[0]).toContain("ms");
  await page.getByTestId("try-merged").check({ force: true });
  await expect(page.locator("[data-figure='kernel.max_us']").first()).toContainText("µs");
  await expect(page.locator("[data-figure='kernel.util_refusals']")).toHaveText("0");
  await page.getByTestId("try-off").check({ force: true });
  await expect(page.locator("[data-figure='kernel.max_us']").first()).toHaveText(before[0]);
});

test("a word explains itself", async ({ page }) => {
  await lesson(page, 1);
  const word = page.getByRole("button", { name: "wake-up latency" });
  await word.focus();
  await page.keyboard.press("Enter");
  await expect(page.getByText("The time from the moment when a thread is woken")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByText("The time from the moment when a thread is woken")).toBeHidden();
});

test("a lesson that does not exist says so and offers the others", async ({ page, complaints }) => {
  await page.goto("./#lesson/no-such/1");
  await expect(page.getByTestId("lesson")).toContainText("There is no lesson “no-such” here.");
  await page.getByTestId("lesson-all").click();
  await expect(page.getByTestId("lesson-open").first()).toBeVisible();
  // The browser itself reports the answer 404.
  expect(complaints.every((complaint) => complaint.includes("404"))).toBe(true);
  complaints.length = 0;
});

for (const colorScheme of ["light", "dark"]) {
  test(`every screen is for everyone and fits a phone in ${colorScheme}`, async ({ page }) => {
    await page.setViewportSize({ width: 360, height: 740 });
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    for (const screen of [1, 2, 3, 4, 5, 6]) {
      await lesson(page, screen);
      const reveal = page.getByTestId("reveal");
      if (screen === 2 || screen === 3) {
        await reveal.click();
        await expect(page.getByTestId("inspector")).toHaveAttribute("data-state", "full");
      }
      await live(page);
      const { violations } = await new AxeBuilder({ page })
        .withTags(["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"])
        .analyze();
      expect(violations.map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html }) => html) }))).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
    }
  });
}

test("a question that is asked is for everyone", async ({ page }) => {
  await lesson(page, 2);
  await expect(predict(page)).toHaveAttribute("data-state", "full");
  const { violations } = await new AxeBuilder({ page }).include("[data-testid='predict']").analyze();
  expect(violations.map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html }) => html) }))).toEqual([]);
});
