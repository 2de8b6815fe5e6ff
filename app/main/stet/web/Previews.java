package stet.web;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;
import stet.core.Account;
import stet.core.HeapBudget;
import stet.http.Answer;
import stet.http.Failure;

/**
 * Previews: authored HTML at an address of its own, for a sandboxed frame. It runs no script, fetches images and fonts
 * only, sends nothing and cannot leave its frame. The page that asked for a preview alone knows its address.
 */
public final class Previews {
    /** Previews that are kept, the newest of one account and of all, and their bytes. */
    private static final int MAX_PER_ACCOUNT = 8;
    private static final int MAX_KEPT = 200;
    private static final long MAX_BYTES = HeapBudget.previews();
    private static final long MAX_BYTES_PER_ACCOUNT = MAX_BYTES / 2;
    private static final int ID_BYTES = 18;
    private static final String POLICY = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src https: data:; "
            + "font-src https: data:; form-action 'none'; base-uri 'none'; frame-ancestors 'self'";

    /** Has a click on a link open a window, which the sandbox does not allow, so that nothing is fetched. */
    private static final byte[] NO_NAVIGATION = "<base target=\"_blank\">".getBytes(StandardCharsets.US_ASCII);

    private final RandomGenerator random;
    private final Map<String, Preview> kept = new LinkedHashMap<>();

    private record Preview(long account, byte[] html) {
    }

    public Previews(RandomGenerator random) {
        this.random = random;
    }

    /** Keeps an HTML until newer ones need the room. @return its address */
    synchronized String add(Account account, byte[] mail) {
        byte[] html = Arrays.copyOf(mail, mail.length + NO_NAVIGATION.length);
        System.arraycopy(NO_NAVIGATION, 0, html, mail.length, NO_NAVIGATION.length);
        byte[] bytes = new byte[ID_BYTES];
        random.nextBytes(bytes);
        String id = Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
        forget(preview -> preview.account == account.id(), MAX_PER_ACCOUNT - 1, MAX_BYTES_PER_ACCOUNT - html.length);
        forget(preview -> true, MAX_KEPT - 1, MAX_BYTES - html.length);
        kept.put(id, new Preview(account.id(), html));
        return "/previews/" + id;
    }

    /** Forgets the oldest of some previews until no more than these are left. */
    private void forget(Predicate<Preview> which, int count, long bytes) {
        List<Map.Entry<String, Preview>> some = kept.entrySet().stream().filter(entry -> which.test(entry.getValue())).toList();
        long sum = 0;
        for (int i = some.size() - 1, number = 1; i >= 0; i--, number++) {
            sum += some.get(i).getValue().html.length;
            if (number > count || sum > bytes) {
                kept.remove(some.get(i).getKey());
            }
        }
    }

    public synchronized Answer show(String id) {
        Preview preview = kept.get(id);
        if (preview == null) {
            throw Failure.NOT_FOUND.thrown();
        }
        return Answer.of(200, Answer.HTML, preview.html)
                .with("Cache-Control", "no-store")
                .with("Content-Security-Policy", POLICY)
                .with("Referrer-Policy", "no-referrer");
    }
}
