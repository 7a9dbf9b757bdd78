#!/usr/bin/env python3
"""Makes the pictures of docs/reports.md from synthetic runs.

Usage: screenshots.py BUILD CHROMIUM CHROMEDRIVER FOLDER
"""

import sys
import tempfile

from browser import Browser
from pages import Pages

BUILD, CHROMIUM, DRIVER, FOLDER = sys.argv[1:5]


def main():
    with tempfile.TemporaryDirectory(prefix="gpugauge-browser-") as scratch:
        pages = Pages(BUILD, scratch)
        browser = Browser(CHROMIUM, DRIVER)
        regression, fleet = pages.regression(), pages.fleet(200)

        browser.open(regression, width=1100, height=1000)
        browser.run("""[...document.querySelectorAll('tbody tr:not(.detail)')].find(row => row.textContent.includes('op/000:bandwidth'))
            .querySelector('button.open').click(); document.querySelector('.controls').scrollIntoView()""")
        browser.screenshot(f"{FOLDER}/report-regression.png")

        browser.open(pages.over_time, width=1100, height=1000)
        browser.run("""[...document.querySelectorAll('h2')].find(head => head.textContent === 'Over time').scrollIntoView()""")
        browser.screenshot(f"{FOLDER}/report-over-time.png")

        browser.open(fleet, width=1100, height=850, dark=True)
        browser.screenshot(f"{FOLDER}/report-fleet-dark.png")

        browser.open(fleet, width=1100, height=850)
        browser.run("[...document.querySelectorAll('table button.open')].find(button => button.textContent.includes('node-00102')).click()")
        browser.run("document.querySelector('#node tbody button.open').click(); document.querySelector('#node').scrollIntoView()")
        browser.screenshot(f"{FOLDER}/report-node.png")

        browser.open(fleet, width=390, height=800, mobile=True)
        browser.screenshot(f"{FOLDER}/report-phone.png")

        browser.open(pages.together(), width=1100, height=900)
        browser.screenshot(f"{FOLDER}/report-together.png")

        browser.open(pages.history(), width=1100, height=900)
        browser.run("""const input = document.querySelector('input.search');
            input.value = 'op/000:bandwidth node-00001'; input.dispatchEvent(new Event('input'))""")
        browser.wait("return document.querySelector('.controls .count').textContent === '1 of 20 series'")
        browser.screenshot(f"{FOLDER}/report-trend.png")
        browser.close()


if __name__ == "__main__":
    main()
