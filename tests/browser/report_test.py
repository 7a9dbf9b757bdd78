#!/usr/bin/env python3
"""The HTML report in headless Chromium.

Usage: report_test.py BUILD CHROMIUM CHROMEDRIVER [unittest's arguments]
"""

import atexit
import base64
import json
import pathlib
import re
import shutil
import sys
import tempfile
import unittest

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from browser import Browser
from over_time import OverTimeTests
from pages import HOSTILE, Pages

BUILD, CHROMIUM, DRIVER = sys.argv[1:4]
FOLDER = tempfile.mkdtemp(prefix="gpugauge-browser-")
atexit.register(shutil.rmtree, FOLDER, ignore_errors=True)


class ReportTest(OverTimeTests, unittest.TestCase):
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

    def stands_before(self, first, second):
        return self.browser.run("""return (document.querySelector(arguments[0]).compareDocumentPosition(document.querySelector(arguments[1]))
            & Node.DOCUMENT_POSITION_FOLLOWING) !== 0""", first, second)

    def test_the_cause_stands_before_the_metrics_with_what_was_seen(self):
        self.browser.open(self.pages.with_cause())
        cause, = self.find_all(".finding")
        self.assertTrue(cause.is_displayed())
        self.assertIn("cuda_launch_blocking", cause.find_element(By.CSS_SELECTOR, "h3").text)
        self.assertIn("confident", cause.find_element(By.CSS_SELECTOR, "h3 .badge").text)
        self.assertIn("CUDA_LAUNCH_BLOCKING=1 in the environment", cause.text)
        self.assertIn("/proc/PID/environ", cause.text, "the next command")
        self.assertTrue(self.stands_before(".finding", ".device table"))
        cause.find_element(By.CSS_SELECTOR, "summary").click()
        self.assertIn("profiler_attached: ", cause.text, "what it is not")

    def test_a_diagnosis_names_its_cause(self):
        page = self.pages.diagnosis()
        self.browser.open(page)
        self.assertIn("GPUGauge diagnosis", self.find(".banner .what").text)
        cause = self.find(".finding")
        self.assertIn("gpu_lost", cause.find_element(By.CSS_SELECTOR, "h3").text)
        self.assertIn("name=python3, GPU has fallen off the bus.", cause.find_element(By.CSS_SELECTOR, "ul").text)
        self.assertIn("dmesg", cause.text)
        self.assertIn("a report from the field", self.find("main").text)
        self.assertTrue(self.stands_before(".finding", "main > section:last-of-type"), "before what would tell more")

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
        self.assertEqual([row.text for row in self.find_all("table tbody tr button.open")], ["node-00005"])
        # By mouse: the first row of the map.
        box = self.find(".heat")
        self.browser.run("""const box = arguments[0].getBoundingClientRect();
            arguments[0].dispatchEvent(new MouseEvent('click', {bubbles: true, clientX: box.left + 300, clientY: box.top + 30}))""", box)
        self.assertIn("node-00005", self.find("#node h2").text)
        self.assertIn("hbm", self.find("#node").text)
        self.assertTrue(self.browser.run("return document.activeElement === document.querySelector('#node h2')"))
        self.find("#node > p > button").click()
        self.assertEqual(self.find_all("#node"), [])
        # By keys: the map has the focus now.
        box.send_keys(Keys.ARROW_RIGHT, Keys.ARROW_DOWN)
        self.assertIn("node-00005, synthetic/op/", self.browser.run("return document.querySelectorAll('output')[1].textContent"))
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
        for page in (self.pages.hostile_fleet(), self.pages.hostile_comparison(), self.pages.together(sorted(HOSTILE)),
                     *self.pages.hostile_findings):
            self.browser.open(page)
            for button in self.find_all("button.open, summary")[:15]:
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

    def test_hostile_evidence_reasons_and_versions_are_shown(self):
        diagnosis, comparison, check = self.pages.hostile_findings
        for page, selector in ((diagnosis, ".finding ul"), (comparison, ".device"), (check, ".device"), (check, "section:last-of-type td.legend")):
            self.browser.open(page)
            shown = self.browser.run("return [...document.querySelectorAll(arguments[0])].map(part => part.textContent).join(' ')", selector)
            self.assertIn("<img src=x onerror='window.hacked = 2'>", shown, f"{page.name}: {selector}")
        self.browser.open(comparison)
        self.assertIn("driver.version", self.find(".device").text)
        self.assertIn("</script><script>window.hacked = 1</script>", self.find(".device").text)

    def test_hostile_names_are_there_to_be_seen(self):
        self.assertTrue(any("<img" in name for name in HOSTILE) and any(len(name) > 10000 for name in HOSTILE))

    def test_nothing_but_the_page_is_asked_for(self):
        self.browser.open(self.pages.regression())
        self.assertEqual(self.browser.run("return performance.getEntriesByType('resource').map(entry => entry.name)"), [])
        # The policy holds: a script that is put into the page does not run.
        self.browser.run("const script = document.createElement('script'); script.textContent = 'window.hacked = 4'; document.body.append(script)")
        self.assertTrue(self.browser.run("return window.hacked === undefined"))
        self.assertIn("Content Security Policy", " ".join(self.browser.complaints()))

    def on_paper(self):
        """Prints for real; returns what the page was while it was put on paper, and the pages of the document."""
        self.browser.run("""window.shown = null;
            matchMedia("print").addEventListener("change", event => {
              if (!event.matches) return;
              const seen = part => getComputedStyle(part).display !== "none";
              const strips = [...document.querySelectorAll(".strips canvas")].filter(seen);
              const last = strips[strips.length - 1];
              const data = last ? [...last.getContext("2d").getImageData(0, 0, last.width, last.height).data] : [];
              window.shown = {
                paper: getComputedStyle(document.documentElement).getPropertyValue("--paper").trim(),
                map: [...document.querySelectorAll(".heat")].filter(seen).length,
                heights: strips.map(strip => strip.height), widths: strips.map(strip => strip.clientWidth),
                width: document.querySelector("main").clientWidth,
                last: last ? data.slice(4 * last.width * (last.height - 12) + 4 * 400).slice(0, 4 * 900) : [], corner: data.slice(0, 4),
                said: [...document.querySelectorAll(".strips .legend")].filter(seen).map(one => one.textContent),
                headings: [...document.querySelectorAll("thead th")].map(head => head.innerText),
                charts: [...document.querySelectorAll(".chart canvas")].filter(seen).map(chart => chart.getBoundingClientRect().right),
              };
            })""")
        pdf = base64.b64decode(self.browser.driver.execute_cdp_cmd("Page.printToPDF", {})["data"])
        return self.browser.run("return window.shown"), len(re.findall(rb"/Type\s*/Page\b", pdf))

    def test_print_is_light_and_whole(self):
        self.browser.open(self.pages.regression(), dark=True)
        self.browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print", "features": [
            {"name": "prefers-color-scheme", "value": "dark"}]})
        self.assertEqual(self.browser.run("return getComputedStyle(document.body).backgroundColor"), "rgb(255, 255, 255)")
        self.assertEqual(self.browser.run("return getComputedStyle(document.querySelector('.controls')).display"), "none")

    def test_a_printed_table_keeps_its_headings_and_its_charts(self):
        self.browser.open(self.pages.regression(), dark=True)
        self.open_metric("synthetic/op/000:bandwidth")
        self.browser.wait("return document.querySelectorAll('tr.detail:not([hidden]) canvas').length === 2")
        shown, _ = self.on_paper()
        for heading in ("metric", "class", "now", "change", "verdict"):
            self.assertIn(heading, shown["headings"])
        self.assertEqual(len(shown["charts"]), 4, "of the metric, and the families and the SM clock over time")
        for right in shown["charts"]:
            self.assertLessEqual(right, shown["width"] + 1, "no chart is cut at the edge of the paper")
        self.assertEqual(shown["paper"], "#ffffff")

    def test_a_printed_map_holds_every_node(self):
        self.browser.open(self.pages.fleet(200), dark=True)
        shown, pages = self.on_paper()
        self.assertEqual(shown["map"], 0, "what scrolls is not printed")
        # 25 rows of 16 pixels and the line of classes, at one and a half times the resolution.
        self.assertEqual(shown["heights"], [(22 + 25 * 16) * 1.5] * 8, "all 200 rows")
        self.assertEqual(len(set(shown["widths"])), 1)
        self.assertLessEqual(shown["widths"][0], shown["width"])
        self.assertEqual(shown["said"], ["Printed: 200 of 200 nodes, 200 of 200 metrics."])
        colours = {tuple(shown["last"][at:at + 3]) for at in range(0, len(shown["last"]), 4)}
        self.assertGreater(len(colours), 5, "the last row is drawn")
        self.assertEqual(shown["corner"], [255, 255, 255, 255], "a dark scheme prints on white as well")
        self.assertGreaterEqual(pages, 4)
        self.assertEqual(self.find_all(".strips"), [], "nothing of it stays on the screen")
        self.assertEqual(self.browser.run("return getComputedStyle(document.body).backgroundColor"), "rgb(20, 24, 28)")

    def test_a_printed_map_says_what_it_leaves_out(self):
        self.browser.open(self.pages.fleet(200))
        self.find("input.search-text").send_keys("0019")
        self.browser.wait("return document.querySelector('.controls .count').textContent.startsWith('11 of 200 nodes')")
        shown, _ = self.on_paper()
        self.assertEqual(shown["said"], ["Printed: 11 of 200 nodes, 200 of 200 metrics."])
        self.assertEqual(len(shown["heights"]), 1)
        # More rows than a printer should be sent: the page says so itself.
        shown = self.browser.run("""
            const node = {label: "n", short: "n", state: "healthy"}, count = 1700;
            const map = new HeatMap({nodes: Array.from({length: count}, () => node), metrics: [{key: "m", class: "c"}],
              change: () => 0, tolerance: () => .05}, {});
            map.rows = Array.from({length: count}, (_, at) => at);
            map.columns = [0];
            const made = map.strips();
            return [made.querySelectorAll("canvas").length, made.querySelector("p").textContent]""")
        self.assertEqual(shown, [64, "Printed: 1600 of 1700 nodes (1700 are chosen on the screen, which is more than is printed), 1 of 1 metrics."])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
