import base64
import contextlib
import io
import os
import unittest
import unittest.mock
import urllib.error
import urllib.request

from stet import StetError, StetFixture

DATA = "app/examples/stet"
EMAIL = "shop@example.com"


class StetTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.stet = StetFixture(DATA)
        cls.addClassCleanup(cls.stet.stop)

    def setUp(self):
        self.stet.reset()

    def get(self, id, key="stet-test-key"):
        request = urllib.request.Request("%s/templates/%s?format=html" % (self.stet.base_url, id),
                                         headers={"Authorization": "Bearer " + key})
        try:
            with urllib.request.urlopen(request) as response:
                return "%d %s" % (response.status, response.read().decode())
        except urllib.error.HTTPError as error:
            with error:
                return "%d %s" % (error.status, error.read().decode())

    def test_clocks_stand_move_on_and_run(self):
        self.assertEqual({"now": "2026-02-01T00:00:00.000Z"}, self.stet.set_clock(now="2026-02-01T00:00:00Z"))
        self.assertEqual("2026-02-02T00:00:00.000Z", self.stet.advance("P1D")["now"])
        self.assertEqual("2026-02-03T00:00:00.000Z", self.stet.advance("P1D", account=EMAIL)["now"])
        self.assertEqual("2026-02-02T00:00:00.000Z", self.stet.clock()["now"])
        self.assertEqual("2026-02-03T00:00:00.000Z", self.stet.clock(EMAIL)["now"])
        self.assertEqual("2026-03-02T09:00:00.000Z", self.stet.advance_to_period_end(EMAIL)["now"])
        self.stet.restart_clock(EMAIL)
        self.assertEqual("2026-02-02T00:00:00.000Z", self.stet.clock(EMAIL)["now"])
        self.assertEqual("PT720H", self.stet.set_clock(offset="P30D", account=EMAIL)["offset"])
        self.assertIn("offset", self.stet.set_clock(from_="2026-02-01T00:00:00Z"))
        self.stet.restart_clock()
        self.assertEqual("PT0S", self.stet.clock()["offset"])

    def test_accounts_templates_and_blocks_are_written(self):
        added = self.stet.add_account(plan="pro", templates={"one": {"html": "<p>1</p>"}})
        self.assertEqual("200 <p>1</p>", self.get("one", added["key"]))
        self.assertEqual(7, self.stet.change_account(EMAIL, used=7)["used"])
        self.assertEqual(7, self.stet.account(EMAIL)["used"])
        self.stet.put_block(EMAIL, "footer", "<i>f</i>")
        self.assertTrue(self.stet.put_template(EMAIL, "new", html="{{> footer}}")["published"])
        self.assertEqual("200 <i>f</i>", self.get("new"))
        self.assertEqual("<i>f</i>", self.stet.template(EMAIL, "new")["served"]["html"])
        self.assertEqual("<i>f</i>", self.stet.block(EMAIL, "footer")["html"])
        self.stet.delete_template(EMAIL, "new")
        self.stet.delete_block(EMAIL, "footer")
        self.assertEqual("404", self.get("new")[:3])
        self.assertEqual([EMAIL, added["email"]], [each["email"] for each in self.stet.accounts()])
        self.stet.delete_account(added["email"])
        self.assertEqual("401", self.get("one", added["key"])[:3])

    def test_images_are_written(self):
        dot = base64.b64decode("R0lGODlhAQABAIAAAAAAAP///ywAAAAAAQABAAACAUwAOw==")
        written = self.stet.put_image(EMAIL, "dot.gif", dot)
        self.assertEqual(("dot.gif", len(dot), 1), (written["name"], written["bytes"], written["width"]))
        self.assertEqual(written, self.stet.image(EMAIL, "dot.gif"))
        self.assertEqual(["dot.gif"], self.stet.account(EMAIL)["images"])
        with urllib.request.urlopen(self.stet.url + written["path"]) as response:
            self.assertEqual(dot, response.read())
        self.stet.delete_image(EMAIL, "dot.gif")
        with self.assertRaisesRegex(StetError, "404"):
            self.stet.image(EMAIL, "dot.gif")

    def test_keys_are_added_rotated_and_deleted(self):
        own = self.stet.add_account(plan="pro", templates={"one": {"html": "1"}})["email"]
        second = self.stet.add_key(own, name="second", key="a-second-key")
        self.assertEqual({"name": "second", "key": "a-second-key"}, second)
        third = self.stet.rotate_key(own, "second", expiresIn="P1D")
        self.assertEqual("200 1200 1", self.get("one", second["key"]) + self.get("one", third["key"]))
        self.assertEqual([True, False, True], [each["expiresAt"] is None for each in self.stet.keys(own)])
        self.stet.delete_key(own, "second")
        self.assertEqual("401", self.get("one", third["key"])[:3])

    def test_one_account_is_reset(self):
        own = self.stet.add_account(plan="pro", templates={"one": {"html": "1"}})
        self.stet.change_account(EMAIL, used=7)
        self.stet.delete_template(own["email"], "one")
        self.stet.add_fault(account=own["email"], status=500)
        self.stet.add_fault(account=EMAIL, status=500)
        self.stet.reset(own["email"])
        self.assertEqual("200 1", self.get("one", own["key"]))
        self.assertEqual(7, self.stet.account(EMAIL)["used"])
        self.assertEqual(1, len(self.stet.faults()))

    def test_faults_and_the_journal(self):
        self.stet.add_fault(status=503, template="shipped", times=2)
        self.assertEqual("503", self.get("shipped")[:3])
        self.assertEqual(1, self.stet.faults()[0]["times"])
        fault = self.stet.add_fault(status=502, type="text/html", body="<h1>Bad gateway</h1>")["id"]
        self.stet.delete_fault(fault)
        self.stet.clear_faults(template="shipped")
        self.assertEqual("200", self.get("shipped")[:3])
        self.assertEqual([503, 200], [each["status"] for each in self.stet.requests(template="shipped", wait=2)])
        self.assertEqual(1, len(self.stet.requests(status=200, account=EMAIL)))
        self.stet.verify(template="shipped", status=200, times=1)
        with self.assertRaisesRegex(AssertionError, "(?s)POST /_fixture/verify: 417 .*shipped"):
            self.stet.verify(template="shipped", never=True)
        self.stet.clear_requests()
        self.assertEqual([], self.stet.requests())

    def test_what_happened_is_told_with_reasons(self):
        self.get("shiped")
        with self.assertRaises(AssertionError):
            self.stet.verify(template="shipped")
        happened = self.stet.what_happened()
        self.assertEqual([(404, '"shiped" is unknown; did you mean "shipped"?'), (None, "there was none")],
                         [(each["status"], each["reason"]) for each in happened["events"]])
        self.assertIn("Expected at least 1 request", happened["text"])

    def test_a_refused_control_says_why(self):
        with self.assertRaisesRegex(StetError, 'POST /_fixture/faults: 400 .*"statsu"'):
            self.stet.add_fault(status=500, statsu=1)

    def test_a_zero_is_sent(self):
        self.stet.verify(times=0)
        self.get("shipped")
        for nothing in ({"times": 0}, {"atMost": 0}):
            with self.assertRaisesRegex(AssertionError, "Expected no requests"):
                self.stet.verify(**nothing)
        with self.assertRaisesRegex(StetError, '"times"'):
            self.stet.add_fault(status=500, times=0)
        with self.assertRaisesRegex(StetError, '404 Account'):
            self.stet.clear_faults(account="")
        self.stet.add_fault(status=503, body="", times=1)
        self.assertEqual("503 ", self.get("shipped"))

    def test_a_failure_points_to_the_test(self):
        class Failing(unittest.TestCase):
            def runTest(test):
                self.stet.verify(template="shipped")

        result = unittest.TestResult()
        Failing().run(result)
        frames = [line for line in result.failures[0][1].splitlines() if line.startswith("  File ")]
        self.assertEqual(1, len(frames), frames)
        self.assertIn("in runTest", frames[0])

    def test_an_empty_setting_is_a_missing_one(self):
        for settings in ({"data": ""}, {"data": None}, {"data": "", "jar": "", "java": ""}):
            with self.assertRaisesRegex(StetError, "/src/test/stet not found"):
                StetFixture(**settings)
        with unittest.mock.patch.dict(os.environ, JAVA="", STET_JAR=""):
            with self.assertRaisesRegex(StetError, "/src/test/stet not found"):
                StetFixture("")

    def test_a_start_that_fails_says_why(self):
        printed = io.StringIO()
        with contextlib.redirect_stderr(printed):
            with self.assertRaisesRegex(StetError, "(?s)did not start: it exited with code 1\n.*no-such-folder"):
                StetFixture("no-such-folder")
        self.assertEqual("", printed.getvalue())
        with unittest.mock.patch.dict(os.environ, JAVA_TOOL_OPTIONS="-Xmx8m"):
            with self.assertRaisesRegex(StetError, "(?s)did not start: it exited with code 1\n.*heap size"):
                StetFixture(DATA)
        with self.assertRaisesRegex(StetError, "did not start: no-such-java not found; install Java"):
            StetFixture(DATA, java="no-such-java")

    def test_stopping_twice_is_fine_and_then_nothing_listens(self):
        with StetFixture(DATA) as other:
            other.stop()
        other.stop()
        with self.assertRaises(urllib.error.URLError):
            other.reset()


if __name__ == "__main__":
    unittest.main()
