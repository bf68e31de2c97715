import { defineConfig } from "@playwright/test";
import { CHROMIUM_FLAGS, given } from "./browser.mjs";

export default defineConfig({
  testDir: "tests",
  outputDir: "test-results",
  // Generous: CI machines have two cores, and a cold engine compiles first.
  timeout: 90_000,
  expect: { timeout: 30_000 },
  fullyParallel: true,
  workers: 2,
  retries: 0,
  forbidOnly: true,
  reporter: "list",
  use: {
    baseURL: given("RUNQUEUE_URL"),
    launchOptions: { executablePath: given("RUNQUEUE_CHROMIUM"), args: CHROMIUM_FLAGS },
    screenshot: "only-on-failure",
    trace: "retain-on-failure",
  },
});
