#!/usr/bin/env python3
"""The HTML report in headless Chromium.

Usage: report_test.py BUILD CHROMIUM CHROMEDRIVER [unittest's arguments]
"""

import atexit
import json
import pathlib
import shutil
import sys
import tempfile
import unittest

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from browser import Browser
from pages import HOSTILE, Pages

BUILD, CHROMIUM, DRIVER = sys.argv[1:4]
FOLDER = tempfile.mkdtemp(prefix="gpugauge-browser-")
atexit.register(shutil.rmtree, FOLDER, ignore_errors=True)


class ReportTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.pages = Pages(BUILD, FOLDER)
        cls.browser = Browser(CHROMIUM, DRIVER)

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()

    def tearDown(self):
        self.assertEqual(self.browser.complaints(), [], "the console is empty")

    def find(self, selector):
        return self.browser.driver.find_element(By.CSS_SELECTOR, selector)

    def find_all(self, selector):
        return self.browser.driver.find_elements(By.CSS_SELECTOR, selector)

    def counted(self):
        return self.find(".controls .count").text

    def test_a_real_check_opens_in_light_and_dark_and_on_a_phone(self):
        page = self.pages.check()
        for dark in (False, True):
            self.browser.open(page, dark=dark)
            self.assertIn("check", self.find(".banner .what").text)
            self.assertGreater(len(self.find_all("tbody tr")), 5)
            paper = self.browser.run("return getComputedStyle(document.body).backgroundColor")
            self.assertEqual(paper, "rgb(20, 24, 28)" if dark else "rgb(255, 255, 255)")
        self.browser.open(page, width=390, height=800, mobile=True)
        self.assertLessEqual(self.browser.run("return document.documentElement.scrollWidth"), 390, "nothing sticks out")

    def open_metric(self, key):
        row = next(row for row in self.find_all("tbody tr:not(.detail)") if key in row.text)
        row.find_element(By.CSS_SELECTOR, "button.open").click()

    def test_a_class_mean_says_of_what_and_draws_nothing(self):
        self.browser.open(self.pages.regression())
        row = next(row for row in self.find_all("tbody tr:not(.detail)") if "class/hbm" in row.text)
        self.assertEqual([cell.text for cell in row.find_elements(By.CSS_SELECTOR, "td")][2:5], ["", "", "+7.7%"], "a change has no figures of its own")
        self.open_metric("class/hbm")
        detail = self.find("tr.detail:not([hidden])")
        self.assertIn("geometric mean of 26 metrics", detail.text)
        self.assertEqual(detail.find_elements(By.CSS_SELECTOR, "canvas"), [])

    def test_a_regression_shows_its_samples_over_the_band(self):
        self.browser.open(self.pages.regression())
        self.assertIn("regressed", self.find("h1").text)
        self.assertIn("regressed", self.find("tbody tr").text, "the worst comes first")
        self.open_metric("synthetic/op/000:bandwidth")
        self.browser.wait("return document.querySelectorAll('tr.detail:not([hidden]) canvas').length === 2")
        # The band's colour is there: the canvas was drawn.
        drawn = self.browser.run("""
            const canvas = document.querySelector('tr.detail:not([hidden]) canvas');
            const data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
            const colours = new Set();
            for (let i = 0; i < data.length; i += 4) colours.add(data[i] + ',' + data[i + 1] + ',' + data[i + 2]);
            return [...colours]""")
        self.assertIn("227,238,251", drawn)
        self.assertIn("11,87,184", drawn)
        self.assertIn("before", self.browser.run("return document.querySelector('tr.detail:not([hidden])').textContent"))

    def test_a_trend_shows_when_something_changed(self):
        # No history is read here: the page gets its earlier values as whoever keeps them would give them.
        text = self.pages.regression().read_text()
        mark = '<script type="application/json" id="data">'
        before, after = text.split(mark)
        data, rest = after.split("</script>", 1)
        data = json.loads(data)
        metric = next(one for one in data["devices"][0]["metrics"] if one["key"] == "synthetic/op/000:bandwidth")
        metric["trend"] = [[f"2026-01-{day:02}T02:00:00Z", metric["value"] * (1 + .001 * day), ""] for day in range(1, 29)]
        metric["trend"][14][2] = "driver.version 570.86 -> <b>580.65</b>"
        page = pathlib.Path(FOLDER) / "trend.html"
        page.write_text(before + mark + json.dumps(data).replace("<", "\\u003c") + "</script>" + rest)
        self.browser.open(page)
        self.open_metric("synthetic/op/000:bandwidth")
        self.browser.wait("return document.querySelectorAll('tr.detail:not([hidden]) canvas').length === 3")
        self.assertIn("2026-01-15: driver.version 570.86 -> <b>580.65</b>", self.find("tr.detail:not([hidden])").text)

    def colours_of_first_chart(self):
        return self.browser.run("""
            const canvas = document.querySelector('canvas');
            const data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
            const colours = new Set();
            for (let i = 0; i < data.length; i += 4) colours.add(data[i] + ',' + data[i + 1] + ',' + data[i + 2]);
            return [...colours]""")

    def test_a_history_shows_levels_versions_and_the_alarm(self):
        if not self.pages.has_history():
            self.skipTest("this build has no history: SOCI is not installed")
        self.browser.open(self.pages.history("590.10.01<b>"))
        self.assertEqual(self.counted(), "20 of 20 series")
        self.assertEqual(self.find("h1").text, "\u2022 2 changes of level")
        self.find("input.search").send_keys("op/000:bandwidth node-00001")
        self.browser.wait("return document.querySelector('.controls .count').textContent === '1 of 20 series'")
        text = self.find("main").text
        self.assertIn("since stack.driver.version 580.65.06 -> 590.10.01<b>", text)
        self.assertIn("stack.cublas.version 13.0.2.14 -> 13.1.0.3", text, "a version is said where it slows nothing, too")
        self.assertIn("monitor: alarm on 2026-01-18, worse from 2026-01-16 on, since stack.driver.version 580.65.06 -> 590.10.01<b>", text)
        rows = [row.text.split("\n")[0] for row in self.find_all("tbody tr")]
        self.assertEqual([row[:10] for row in rows], ["2026-01-16", "2026-01-16", "2026-01-22"])
        colours = self.colours_of_first_chart()
        self.assertIn("227,238,251", colours, "the band")
        self.assertIn("27,31,36", colours, "a level")
        self.browser.run("""const select = document.querySelector('.controls select');
            select.value = 'changed'; select.dispatchEvent(new Event('change'))""")
        self.assertEqual(self.counted(), "1 of 20 series")
        self.find("input.search").send_keys(Keys.CONTROL, "a")
        self.find("input.search").send_keys(Keys.DELETE)
        self.browser.wait("return document.querySelector('.controls .count').textContent === '2 of 20 series'")

    def test_a_check_shows_earlier_nights(self):
        if not self.pages.has_history():
            self.skipTest("this build has no history: SOCI is not installed")
        page = self.pages.check_with_nights()
        data = page.read_text().split('<script type="application/json" id="data">')[1].split("</script>", 1)[0]
        shown = [one for one in json.loads(data)["devices"][0]["metrics"] if "trend" in one]
        self.assertTrue(shown)
        for metric in shown:
            self.assertEqual(len(metric["trend"]), 3, "two nights, and now")
            self.assertAlmostEqual(metric["trend"][-1][1], metric["value"])
        self.browser.open(page)
        for button in self.find_all("tbody button.open"):
            button.click()
        self.browser.wait("return [...document.querySelectorAll('tr.detail:not([hidden]) h4')].some(head => head.textContent === 'Over time')")

    def test_filters_and_sorting_of_metrics(self):
        self.browser.open(self.pages.regression())
        # 200 metrics and the means of their 8 classes.
        self.assertEqual(self.counted(), "208 of 208 metrics")
        self.find("input.search").send_keys("op/03")
        self.browser.wait("return document.querySelector('.controls .count').textContent === '20 of 208 metrics'")
        self.find("input.search").clear()
        self.find("input.search").send_keys("nothing has this name")
        self.browser.wait("return document.querySelector('.controls .count').textContent === '0 of 208 metrics'")
        self.find("input.search").send_keys(Keys.CONTROL, "a")
        self.find("input.search").send_keys(Keys.DELETE)
        self.browser.wait("return document.querySelector('.controls .count').textContent === '208 of 208 metrics'")
        self.browser.run("""const select = document.querySelectorAll('.controls select')[0];
            select.value = 'regressed'; select.dispatchEvent(new Event('change'))""")
        shown = self.find_all("tbody tr:not(.detail)")
        self.assertTrue(0 < len(shown) < 60)
        change = next(head for head in self.find_all("thead th button") if head.text.startswith("change"))
        change.click()
        values = [float(row.find_elements(By.CSS_SELECTOR, "td")[4].text.strip("+%")) for row in self.find_all("tbody tr:not(.detail)")]
        self.assertEqual(values, sorted(values, reverse=True))
        change.click()
        values = [float(row.find_elements(By.CSS_SELECTOR, "td")[4].text.strip("+%")) for row in self.find_all("tbody tr:not(.detail)")]
        self.assertEqual(values, sorted(values))

    def test_a_fleet_is_filtered_sorted_and_opened_by_mouse_and_keys(self):
        self.browser.open(self.pages.fleet())
        self.assertEqual(self.counted(), "40 of 40 nodes, 200 of 200 metrics")
        red = self.browser.run("""
            const canvas = document.querySelector('.heat canvas'), data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
            let count = 0;
            for (let i = 0; i < data.length; i += 4) if (data[i] > 170 && data[i + 1] < 110 && data[i + 2] < 110) ++count;
            return count""")
        self.assertGreater(red, 500, "the slow class is red")
        self.find("input.search-metric").send_keys("bandwidth")
        self.browser.wait("return document.querySelector('.controls .count').textContent === '40 of 40 nodes, 100 of 200 metrics'")
        self.find("input.search-text").send_keys("00005")
        self.browser.wait("return document.querySelector('.controls .count').textContent === '1 of 40 nodes, 100 of 200 metrics'")
        self.assertEqual([row.text for row in self.find_all("table tbody tr button.open")], ["node-00005/round-1"])
        # By mouse: the first row of the map.
        box = self.find(".heat")
        self.browser.run("""const box = arguments[0].getBoundingClientRect();
            arguments[0].dispatchEvent(new MouseEvent('click', {bubbles: true, clientX: box.left + 300, clientY: box.top + 30}))""", box)
        self.assertIn("node-00005/round-1", self.find("#node h2").text)
        self.assertIn("hbm", self.find("#node").text)
        self.assertTrue(self.browser.run("return document.activeElement === document.querySelector('#node h2')"))
        self.find("#node > p > button").click()
        self.assertEqual(self.find_all("#node"), [])
        # By keys: the map has the focus now.
        box.send_keys(Keys.ARROW_RIGHT, Keys.ARROW_DOWN)
        self.assertIn("node-00005/round-1, synthetic/op/", self.browser.run("return document.querySelectorAll('output')[1].textContent"))
        box.send_keys(Keys.ENTER)
        self.browser.wait("return document.querySelectorAll('#node canvas').length === 1")
        self.assertIn("node-00005", self.find("#node h2").text)

    def test_sorting_the_nodes_by_a_metric(self):
        self.browser.open(self.pages.fleet())
        box = self.find(".heat")
        box.send_keys(Keys.END, "s")
        self.assertEqual(self.browser.run("return document.querySelectorAll('.controls select')[1].value"), "metric")
        said = self.browser.run("return document.querySelectorAll('output')[1].textContent")
        self.assertTrue(said.startswith("sorted by synthetic/op/"), said)
        box.send_keys(Keys.HOME, Keys.END)
        worst = self.browser.run("return document.querySelectorAll('output')[1].textContent")
        self.assertIn("worse than the median", worst)
        box.send_keys(Keys.PAGE_DOWN, Keys.PAGE_DOWN, Keys.PAGE_DOWN)
        self.assertIn("better than the median", self.browser.run("return document.querySelectorAll('output')[1].textContent"))

    def test_nodes_that_were_measured_together_are_a_map_of_pairs(self):
        self.browser.open(self.pages.together())
        text = self.find("main").text
        self.assertIn("slow node", text)
        self.assertIn("node08", text)
        self.assertIn("slow path", text)
        red = self.browser.run("""
            const canvas = document.querySelector('.heat canvas'), data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
            let count = 0;
            for (let i = 0; i < data.length; i += 4) if (data[i] > 170 && data[i + 1] < 110 && data[i + 2] < 110) ++count;
            return count""")
        self.assertGreater(red, 500, "the slow node's row and column are red")
        box = self.find(".heat")
        box.send_keys(Keys.ARROW_RIGHT)
        said = "return document.querySelector('.heat + output').textContent"
        self.assertIn("node01 with node02: ", self.browser.run(said))
        box.send_keys(*[Keys.ARROW_RIGHT] * 6)
        self.assertIn("node01 with node08: 240", self.browser.run(said))
        self.assertIn("worse than", self.browser.run(said))
        first = self.find("table tbody tr")
        self.assertIn("node08", first.text, "the largest part of its own stands first")

    def test_a_thousand_nodes_and_two_hundred_metrics(self):
        page = self.pages.fleet(1000)
        self.assertLess(page.stat().st_size, 15_000_000)
        seconds = self.browser.open(page)
        print(f"1000 nodes, 200 metrics: {page.stat().st_size} bytes, ready in {seconds:.2f} s", file=sys.stderr)
        self.assertLess(seconds, 3)
        self.assertEqual(self.counted(), "1000 of 1000 nodes, 200 of 200 metrics")
        self.browser.run("document.querySelector('.heat').scrollTop = 1e9")
        self.browser.wait("""const canvas = document.querySelector('.heat canvas'), data = canvas.getContext('2d').getImageData(300, 100, 200, 100).data;
            return new Set(data).size > 5""")

    def test_hostile_names_are_text(self):
        for page in (self.pages.hostile_fleet(), self.pages.hostile_comparison(), self.pages.together(sorted(HOSTILE))):
            self.browser.open(page)
            for button in self.find_all("button.open")[:15]:
                self.browser.run("arguments[0].click()", button)
            self.assertIsNone(self.browser.run("return window.hacked === undefined ? null : window.hacked"))
            self.assertEqual(self.browser.run("return document.querySelectorAll('img, iframe, object, svg').length"), 0)
            self.assertEqual(self.browser.run("return document.scripts.length"), 2)
            text = self.browser.run("return document.body.textContent")
            self.assertIn("window.hacked", text)
            shown = self.browser.run("return document.querySelector('main').textContent")
            self.assertNotIn("\u202e", shown)
            self.assertNotIn("x" * 5000, shown, "what is long is cut")
            self.assertLessEqual(self.browser.run("return document.documentElement.scrollWidth"), 1300)

    def test_hostile_names_are_there_to_be_seen(self):
        self.assertTrue(any("<img" in name for name in HOSTILE) and any(len(name) > 10000 for name in HOSTILE))

    def test_nothing_but_the_page_is_asked_for(self):
        self.browser.open(self.pages.regression())
        self.assertEqual(self.browser.run("return performance.getEntriesByType('resource').map(entry => entry.name)"), [])
        # The policy holds: a script that is put into the page does not run.
        self.browser.run("const script = document.createElement('script'); script.textContent = 'window.hacked = 4'; document.body.append(script)")
        self.assertTrue(self.browser.run("return window.hacked === undefined"))
        self.assertIn("Content Security Policy", " ".join(self.browser.complaints()))

    def test_print_is_light_and_whole(self):
        self.browser.open(self.pages.regression(), dark=True)
        self.browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print", "features": [
            {"name": "prefers-color-scheme", "value": "dark"}]})
        self.assertEqual(self.browser.run("return getComputedStyle(document.body).backgroundColor"), "rgb(255, 255, 255)")
        self.assertEqual(self.browser.run("return getComputedStyle(document.querySelector('.controls')).display"), "none")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
