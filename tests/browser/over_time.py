"""What the page of a check draws over time: a part of the tests of report_test.py."""

from selenium.webdriver.common.keys import Keys


class OverTimeTests:
    """Needs find(), pages and browser of the test case that it is a part of."""

    def choose(self, label, value):
        self.browser.run("""const select = [...document.querySelectorAll('.readings label')].find(one => one.textContent.startsWith(arguments[0])).querySelector('select');
            select.value = arguments[1]; select.dispatchEvent(new Event('change'))""", label, value)

    def colours_of(self, label):
        return self.browser.run("""
            const canvas = [...document.querySelectorAll('.chart')].find(one => one.getAttribute('aria-label').startsWith(arguments[0])).querySelector('canvas');
            const data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
            const colours = {};
            for (let i = 0; i < data.length; i += 4) {
              const key = data[i] + ',' + data[i + 1] + ',' + data[i + 2];
              colours[key] = (colours[key] || 0) + 1;
            }
            return colours""", label)

    def test_clocks_power_and_temperature_are_drawn_over_time(self):
        page = self.pages.over_time
        self.assertLess(page.stat().st_size, self.pages.regression().stat().st_size + 100_000)
        self.browser.open(page)
        labels = self.browser.run("return [...document.querySelectorAll('.chart')].map(one => one.getAttribute('aria-label'))")
        charts = ["Rate by seconds", "SM clock by seconds", "Families", "SM clock over time", "Power over time", "Temperature over time",
                  "Utilization over time", "Reasons of the driver for a lower clock"]
        self.assertEqual([label.startswith(chart) for label, chart in zip(labels, charts)], [True] * len(charts), labels)
        self.assertEqual(len(labels), len(charts))
        self.browser.wait("return document.querySelectorAll('.chart canvas').length === 8")
        text = self.find(".device").text
        self.assertIn("synthetic/op/000, the worst of 2", text)
        self.assertIn("60 s, first second 650 TFLOP/s, last 612 (-5.9%)", text)
        self.assertIn("lowest 45\u202f\u00b0C, median 74\u202f\u00b0C, highest 79\u202f\u00b0C", text)
        self.assertIn("limit 700\u202fW", text)
        self.assertIn("sw_power_cap in 150 of 280 samples.", text)
        self.assertIn("179,38,30", self.colours_of("Power"), "the limit")
        self.assertIn("227,238,251", self.colours_of("Rate"), "from the slowest to the fastest batch")

    def test_charts_over_time_are_read_by_keys_mouse_and_lists(self):
        self.browser.open(self.pages.over_time)
        self.browser.wait("return document.querySelectorAll('.chart canvas').length === 8")
        said = "return document.querySelector('.readings + output').textContent"
        self.find(".slider").send_keys(*[Keys.ARROW_RIGHT] * 30)
        self.browser.wait("return document.querySelector('.readings + output').textContent.startsWith('At 15 s: synthetic; SM clock 1.74')")
        self.assertIn("Power 537\u202fW; Temperature 63\u202f\u00b0C; Utilization 100%", self.browser.run(said))
        before = self.colours_of("Power")
        self.choose("Mark a family", "0")
        self.assertGreater(self.colours_of("Power").get("227,238,251", 0), before.get("227,238,251", 0) + 5000, "when the family ran")
        self.choose("Show", "1")
        self.browser.wait("return document.querySelector('.readings + output').textContent.startsWith('At 72 s')")
        self.browser.run("""const over = document.querySelectorAll('.pairs .u-over')[2], box = over.getBoundingClientRect();
            over.dispatchEvent(new PointerEvent('pointerdown', {bubbles: true, clientX: box.left + box.width * .9, clientY: box.top + 5}))""")
        self.browser.wait("return document.querySelector('.readings + output').textContent.match(/^At 13[67][.0-9]* s: other/)")
