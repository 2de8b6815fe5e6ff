import contextlib
import io
import unittest
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
        self.assertEqual("PT720H", self.stet.set_clock(offset="P30D")["offset"])

    def test_accounts_templates_and_blocks_are_written(self):
        added = self.stet.add_account(plan="pro", templates={"one": {"html": "<p>1</p>"}})
        self.assertEqual("200 <p>1</p>", self.get("one", added["key"]))
        self.assertEqual(7, self.stet.change_account(EMAIL, used=7)["used"])
        self.assertEqual(7, self.stet.account(EMAIL)["used"])
        self.stet.put_block(EMAIL, "footer", "<i>f</i>")
        self.assertTrue(self.stet.put_template(EMAIL, "new", html="{{> footer}}")["published"])
        self.assertEqual("200 <i>f</i>", self.get("new"))
        self.stet.delete_template(EMAIL, "new")
        self.assertEqual("404", self.get("new")[:3])

    def test_faults_and_the_journal(self):
        self.stet.add_fault(status=503, template="shipped", times=2)
        self.assertEqual("503", self.get("shipped")[:3])
        self.assertEqual(1, self.stet.faults()[0]["times"])
        self.stet.clear_faults(template="shipped")
        self.assertEqual("200", self.get("shipped")[:3])
        self.assertEqual([503, 200], [each["status"] for each in self.stet.requests(template="shipped", wait=2)])
        self.assertEqual(1, len(self.stet.requests(status=200, account=EMAIL)))
        self.stet.verify(template="shipped", status=200, times=1)
        with self.assertRaisesRegex(AssertionError, "(?s)POST /_fixture/verify: 417 .*shipped"):
            self.stet.verify(template="shipped", never=True)
        self.stet.clear_requests()
        self.assertEqual([], self.stet.requests())

    def test_a_refused_control_says_why(self):
        with self.assertRaisesRegex(StetError, 'POST /_fixture/faults: 400 .*"statsu"'):
            self.stet.add_fault(status=500, statsu=1)

    def test_a_start_that_fails_says_why(self):
        printed = io.StringIO()
        with contextlib.redirect_stderr(printed):
            with self.assertRaisesRegex(StetError, "(?s)did not start: it ended with exit code 1\n.*no-such-folder"):
                StetFixture("no-such-folder")
        self.assertEqual("", printed.getvalue())
        with self.assertRaisesRegex(StetError, "did not start: there is no no-such-java: install Java"):
            StetFixture(DATA, java="no-such-java")

    def test_stopping_twice_is_fine_and_then_nothing_listens(self):
        with StetFixture(DATA) as other:
            other.stop()
        other.stop()
        with self.assertRaises(urllib.error.URLError):
            other.reset()


if __name__ == "__main__":
    unittest.main()
