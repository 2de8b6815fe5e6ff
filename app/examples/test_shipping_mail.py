import unittest
import urllib.error
import urllib.request

from stet import StetFixture


class ShippingMailTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = StetFixture("app/examples/stet")
        cls.addClassCleanup(cls.server.stop)

    def setUp(self):
        self.server.reset()

    def test_fills_in_the_template(self):
        self.assertEqual("200 <p>Hello Ada, your order 7 is on its way.</p>\n", self.mail("Ada", "7"))
        self.assertEqual([200], [request["status"] for request in self.server.requests(template="shipped")])

    def test_sees_an_error_of_the_service(self):
        self.server.add_fault(status=500, times=1)
        self.assertEqual('500 {"error":"Internal server error"}', self.mail("Ada", "7"))
        self.assertEqual("200 <p>Hello Ada, your order 7 is on its way.</p>\n", self.mail("Ada", "7"))

    def test_runs_out_of_requests_until_the_next_period(self):
        self.server.change_account("shop@example.com", used=100)
        self.assertEqual("429 Plan limit exceeded", self.mail("Ada", "7"))
        self.server.advance("P30D")
        self.assertEqual("200 <p>Hello Ada, your order 7 is on its way.</p>\n", self.mail("Ada", "7"))

    def mail(self, name, order):
        """Represents the app under test, which is configured with the base URL and the key."""
        request = urllib.request.Request(self.server.base_url + "/templates/shipped?format=html",
                                         headers={"Authorization": "Bearer stet-test-key"})
        try:
            response = urllib.request.urlopen(request)
        except urllib.error.HTTPError as error:
            response = error
        with response:
            text = response.read().decode("utf-8")
        return "%d %s" % (response.status, text.replace("{{name}}", name).replace("{{order}}", order))


if __name__ == "__main__":
    unittest.main()
