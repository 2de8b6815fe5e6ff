package stet.cli;

import java.util.Map;
import java.util.concurrent.TimeUnit;
import stet.base.Refusal;
import stet.base.SystemFailure;
import stet.mail.Letters;
import stet.mail.MailAddress;
import stet.mail.MailFailure;
import stet.mail.MailFailure.FailureKind;
import stet.mail.MailServer;
import stet.mail.SmtpClient;

/** Tests the mail server's settings without a running service. */
record MailCommand(Cli cli) {
    void test() {
        MailServer server = cli.config.mailServer(cli.in).orElseThrow(() -> new Refusal("\"mail test\" needs " + Option.SMTP.usage()
                + " and " + Option.SMTP_FROM.usage() + ", or the variables that serve uses"));
        MailAddress to = MailAddress.of(cli.operand());
        byte[] email = new Letters(server).letter("server-test", Map.of("title", "The mail server works", "mail_server", server.url(), "server", "this server"),
                to, "test." + cli.now().toEpochMilli(), cli.now());
        SmtpClient client = new SmtpClient();
        endLate(client);
        try {
            String reply = client.send(server, to, email);
            cli.out.println("Sent to " + to + ". The mail server replied: " + reply);
        } catch (MailFailure failure) {
            throw failure.kind() == FailureKind.REJECTED ? new Refusal(failure.getMessage()) : new SystemFailure(failure.getMessage());
        }
    }

    /** Ends an attempt whose time is over although the mail server still sends bytes. */
    private static void endLate(SmtpClient client) {
        Thread timer = new Thread(() -> {
            try {
                while (true) {
                    TimeUnit.SECONDS.sleep(1);
                    client.endLate();
                }
            } catch (InterruptedException over) {
                Thread.currentThread().interrupt();
            }
        }, "stet-mail-timeout");
        timer.setDaemon(true);
        timer.start();
    }
}
