package stet.web;

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
 * Authored html under an address of its own, for a sandboxed frame: no script runs, nothing is fetched but images and
 * fonts, nothing can be sent or left. The address is a secret of the page that asked for it, and soon forgotten.
 */
public final class Previews {
    /** Of one account and of all, the newest; and their bytes, so that nobody fills the memory. */
    private static final int OWN = 8;
    private static final int KEPT = 200;
    private static final long KEPT_BYTES = HeapBudget.previews();
    private static final long OWN_BYTES = KEPT_BYTES / 2;
    private static final int ID_BYTES = 18;
    private static final String POLICY = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src https: data:; "
            + "font-src https: data:; form-action 'none'; base-uri 'none'; frame-ancestors 'self'";

    private final RandomGenerator random;
    private final Map<String, Preview> kept = new LinkedHashMap<>();

    private record Preview(long account, byte[] html) {
    }

    public Previews(RandomGenerator random) {
        this.random = random;
    }

    /** Keeps an html for a while. @return its address */
    synchronized String add(Account account, byte[] html) {
        byte[] bytes = new byte[ID_BYTES];
        random.nextBytes(bytes);
        String id = Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
        forget(preview -> preview.account == account.id(), OWN - 1, OWN_BYTES - html.length);
        forget(preview -> true, KEPT - 1, KEPT_BYTES - html.length);
        kept.put(id, new Preview(account.id(), html));
        return "/preview/" + id;
    }

    /** Leaves the newest of some previews, as many as there is room for. */
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
            return Failure.NOT_FOUND.answer();
        }
        return Answer.of(200, Answer.HTML, preview.html)
                .with("Cache-Control", "no-store")
                .with("Content-Security-Policy", POLICY)
                .with("Referrer-Policy", "no-referrer");
    }
}
