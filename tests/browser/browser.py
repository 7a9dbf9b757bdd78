"""Headless Chromium, by Selenium: opens a page, and says what it complained of."""

import time

from selenium import webdriver
from selenium.webdriver.chrome.service import Service


class Browser:
    def __init__(self, chromium, driver):
        options = webdriver.ChromeOptions()
        options.binary_location = chromium
        # No sandbox: a container's root cannot make one, and the pages are our own.
        for flag in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
                     "--no-first-run", "--disable-background-networking", "--disable-component-update"):
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver = webdriver.Chrome(service=Service(driver), options=options)
        self.driver.set_page_load_timeout(60)

    def open(self, page, width=1300, height=900, dark=False, mobile=False):
        """Opens the page; returns the seconds until it was ready."""
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                                    {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": mobile})
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": [scheme]})
        began = time.monotonic()
        self.driver.get(f"file://{page}")
        self.wait("return document.documentElement.dataset.ready === 'yes'")
        # Two frames on: what is drawn on canvases is drawn.
        self.driver.execute_async_script("const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => done()))")
        return time.monotonic() - began

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def wait(self, script, seconds=10):
        end = time.monotonic() + seconds
        while not self.run(script):
            if time.monotonic() > end:
                raise AssertionError(f"never held: {script}")
            time.sleep(.03)

    def complaints(self):
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def screenshot(self, file):
        time.sleep(.3)
        self.driver.save_screenshot(str(file))

    def close(self):
        self.driver.quit()
