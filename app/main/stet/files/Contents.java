package stet.files;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import stet.core.Refusal;
import stet.core.Validation;

/** Which files an account's folder has: each has a place there, or is passed over, or is refused. */
public final class Contents {
    /** How many of the names that were passed over are told. */
    private static final int TOLD = 10;

    private final SortedMap<String, Place> places = new TreeMap<>();
    private final Map<Place.Kind, Integer> counts = new EnumMap<>(Place.Kind.class);
    private final SortedSet<String> passedOver = new TreeSet<>();
    private boolean isAccounts;

    /** @throws Refusal naming the path, when a file there has no place, is too long, or is there already */
    void add(String path, long bytes) {
        Optional<Place> place = Place.of(path);
        if (place.isEmpty()) {
            passOver(path);
            return;
        }
        place.get().check(path, bytes);
        if (places.put(path, place.get()) != null) {
            throw new Refusal("The file is there twice").in(path);
        }
        check(Place.Kind.HTML, place.get(), Validation.TEMPLATES, "templates");
        check(Place.Kind.BLOCK, place.get(), Validation.BLOCKS, "shared blocks");
    }

    private void check(Place.Kind kind, Place added, int most, String name) {
        if (added.kind() == kind && counts.merge(kind, 1, Integer::sum) > most) {
            throw new Refusal("There are more than " + most + " " + name + ", the most that an account may have");
        }
    }

    /** A folder, which may be one of the two that an account has, be it empty. */
    void addFolder(String path) {
        isAccounts |= Place.FOLDERS.contains(path);
    }

    /** Has a file passed over be told, or the folder that it is in. */
    void passOver(String path) {
        passedOver.add(Place.outermost(path));
    }

    SortedMap<String, Place> places() {
        return places;
    }

    /** {@code .git/, README.md, logo.png}: what was passed over, a folder as one; empty for nothing. */
    public List<String> passedOver() {
        List<String> told = new ArrayList<>(passedOver.stream().limit(TOLD).toList());
        if (passedOver.size() > TOLD) {
            told.add((passedOver.size() - TOLD) + " more");
        }
        return told;
    }

    /** Refuses what holds no draft and no block, unless it is what an account without any is exported as. */
    void checkNotEmpty() {
        boolean empty = places.values().stream().allMatch(place -> place.kind() == Place.Kind.SETTINGS);
        if (empty && (!isAccounts || !passedOver.isEmpty())) {
            throw new Refusal("There is nothing to import: no templates/ID.html and no blocks/NAME.html"
                    + (passedOver.isEmpty() ? "" : ", but " + String.join(", ", passedOver())));
        }
    }
}
