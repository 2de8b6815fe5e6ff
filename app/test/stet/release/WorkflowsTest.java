package stet.release;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import stet.base.Secret;
import stet.core.FilesDigest;
import stet.harness.Machine;
import stet.harness.Running;

/** Runs the shell code of this repository's workflows unchanged, with programs that only record how they are called. */
class WorkflowsTest {
    private static final List<Path> WORKFLOWS = List.of(Path.of(".github/workflows/ci.yml"), Path.of(".github/workflows/release.yml"));
    private static final List<String> RECORDED = List.of("gh", "docker", "npm", "curl", "gpg", "apt-get", "git", "python3", "zip", "unzip");
    private static final String TAG = "v1.0.0";

    @TempDir
    Path folder;
    private Path clone;
    /** The code of each step, by name. */
    private final Map<String, String> steps = new HashMap<>();
    private final Map<String, String> environment = new HashMap<>();

    private record Result(int code, String log) {
    }

    /** A clone whose release takes no time, and programs that record their arguments and what they read. */
    @BeforeEach
    void start() throws IOException {
        clone = Files.createDirectories(folder.resolve("clone"));
        program(clone.resolve("app/ci/publish"), Files.readString(Path.of("app/ci/publish")));
        program(clone.resolve("app/package/release"), """
                #!/bin/sh
                set -eu
                out=${RELEASE_DIR:-target/release}
                mkdir -p "$out/maven/stet" "$out/go" context/app/docs
                echo "$1 $RUNTIME_JDK $RELEASES_URL" >"$out/stet.jar"
                echo jar >"$out/maven/stet/stet-testing-1.0.0.jar"
                for file in stet_1.0.0_all.deb stet-fixture-1.0.0.tgz stet-cli-1.0.0.tgz stet_fixture-1.0.0.tar.gz; do echo "$file" >"$out/$file"; done
                echo "- First release" >"$out/NOTES.md"
                echo FROM >context/app/docs/Containerfile
                tar --mtime=@0 --owner=0 --group=0 -C context -cf "$out/stet-1.0.0-container.tar" app
                gzip -nf "$out/stet-1.0.0-container.tar"
                [ ! -e odd ] || { echo "$out" >"$out/stet-cli-1.0.0.tgz"; }
                (cd "$out" && find . -type f ! -name SHA256SUMS | sort | xargs sha256sum >../sums && mv ../sums SHA256SUMS)
                """);
        program(clone.resolve(".ci/run"), "#!/bin/sh\necho ran >>" + folder.resolve("calls") + "\n");
        for (String name : RECORDED) {
            program(folder.resolve("bin/" + name), "#!/bin/sh\n{ printf '%s' " + name + "; printf ' %s' \"$@\"; echo; } >>" + folder.resolve("calls") + "\n"
                    + "case \"" + name + " $*\" in *--password-stdin*|*--import*|curl*) sed 's/^/  < /' >>" + folder.resolve("calls") + " ;; esac\n"
                    + "case \"" + name + " $*\" in \"python3 -m venv\"*) mkdir -p \"$3/bin\" && for each in pip twine; do"
                    + " printf '#!/bin/sh\\necho %s \"$@\" >>" + folder.resolve("calls") + "\\n' $each >\"$3/bin/$each\"; chmod +x \"$3/bin/$each\"; done ;; esac\n");
        }
        for (Path workflow : WORKFLOWS) {
            map(map(yaml(workflow)).get("jobs")).values().forEach(job -> ((List<?>) map(job).get("steps")).forEach(step -> {
                if (map(step).containsKey("run")) {
                    steps.put((String) map(step).get("name"), (String) map(step).get("run"));
                }
            }));
        }
        environment.putAll(Map.of("JAVA_HOME_25_X64", "/jdk25", "GITHUB_WORKSPACE", clone.toString(), "GITHUB_REPOSITORY", "Ada/Stet", "GITHUB_ACTOR", "ada",
                "GITHUB_REF_NAME", "main", "PUBLISH", "false"));
    }

    private static void program(Path file, String code) throws IOException {
        Files.createDirectories(file.getParent());
        Files.writeString(file, code);
        assertTrue(file.toFile().setExecutable(true));
    }

    private static Map<String, Object> yaml(Path file) throws IOException {
        return new Yaml(new SafeConstructor(new LoaderOptions())).load(Files.readString(file));
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> map(Object value) {
        return (Map<String, Object>) value;
    }

    /** Runs a step as the runner does. */
    private Result step(String name) throws IOException {
        assertFalse(steps.get(name).contains("${{"), "the code contains no expressions, so names cannot inject code");
        Path output = folder.resolve("output");
        ProcessBuilder builder = new ProcessBuilder("bash", "-e", "-o", "pipefail", "-c", steps.get(name)).directory(clone.toFile())
                .redirectErrorStream(true).redirectOutput(output.toFile());
        builder.environment().putAll(environment);
        builder.environment().put("PATH", folder.resolve("bin") + ":" + System.getenv("PATH"));
        Process process = builder.start();
        try {
            assertTrue(process.waitFor(Running.PATIENCE.toSeconds(), TimeUnit.SECONDS), "it does not end");
        } catch (InterruptedException stopped) {
            throw new AssertionError(stopped);
        }
        return new Result(process.exitValue(), Files.readString(output));
    }

    private Result done(String name) throws IOException {
        Result result = step(name);
        assertEquals(0, result.code, result.log);
        return result;
    }

    /** Arguments of the recorded programs since the last call. */
    private List<String> calls() throws IOException {
        Path calls = folder.resolve("calls");
        List<String> lines = Files.exists(calls) ? Files.readAllLines(calls) : List.of();
        Files.deleteIfExists(calls);
        return lines.stream().map(line -> line.replaceAll("/tmp/tmp\\.\\w+", "CONTEXT")).toList();
    }

    @Test
    void theStepsAreThoseTestedHere() {
        assertEquals(new TreeSet<>(List.of("Install git and Maven", "Run all tests", "Build twice and compare", "Create the release with notes and sums",
                "Build the image for x64 and arm64", "npm", "PyPI", "Maven Central")).toString(), new TreeSet<>(steps.keySet()).toString());
    }

    @Test
    void ciInstallsItsToolsAndRunsAllTests() throws IOException {
        done("Install git and Maven");
        done("Run all tests");
        assertEquals(List.of("apt-get update -qq", "apt-get install -y -qq --no-install-recommends ca-certificates git maven procps zip",
                "git config --global --add safe.directory " + clone, "ran"), calls());
    }

    @Test
    void aRehearsalPublishesNothing() throws IOException {
        done("Build twice and compare");
        assertEquals("--untagged /jdk25 https://github.com/Ada/Stet/releases/download", Files.readString(clone.resolve("target/release/stet.jar")).strip());
        assertFalse(Files.exists(clone.resolve("target/again")));
        String log = done("Create the release with notes and sums").log;
        assertTrue(log.contains("Stet 1.0.0 would have the files ") && log.contains("- First release") && log.contains("stet-maven.tar.gz"), log);
        for (String name : List.of("Build the image for x64 and arm64", "npm", "PyPI", "Maven Central")) {
            done(name);
        }
        assertEquals(List.of("docker buildx build --platform linux/amd64,linux/arm64 -f CONTEXT/app/docs/Containerfile --tag ghcr.io/ada/stet:1.0.0"
                + " --tag ghcr.io/ada/stet:latest CONTEXT", "npm publish --dry-run ./target/release/stet-cli-1.0.0.tgz",
                "npm publish --dry-run ./target/release/stet-fixture-1.0.0.tgz", "python3 -m venv target/twine", "pip install --quiet twine",
                "twine check target/release/stet_fixture-1.0.0.tar.gz", "zip -qr ../../central.zip .", "unzip -l target/central.zip"), calls());
    }

    @Test
    void aTagIsARelease() throws IOException {
        environment.putAll(Map.of("PUBLISH", "true", "GITHUB_REF_NAME", TAG, "REGISTRY_TOKEN", "registry-secret", "NODE_AUTH_TOKEN", "npm-secret",
                "TWINE_PASSWORD", "pypi-secret", "CENTRAL_TOKEN", "central-secret", "SIGNING_KEY", "signing-secret"));
        done("Build twice and compare");
        assertEquals(TAG + " /jdk25 https://github.com/Ada/Stet/releases/download", Files.readString(clone.resolve("target/release/stet.jar")).strip());
        done("Create the release with notes and sums");
        List<String> release = calls();
        assertEquals(1, release.size());
        assertTrue(release.get(0).startsWith("gh release create v1.0.0 --verify-tag --title Stet 1.0.0 --notes-file target/release/NOTES.md target/release/SHA256SUMS "),
                release.get(0));
        assertEquals(List.of("SHA256SUMS", "stet-1.0.0-container.tar.gz", "stet-cli-1.0.0.tgz", "stet-fixture-1.0.0.tgz", "stet-go.tar.gz", "stet-maven.tar.gz",
                "stet.jar", "stet_1.0.0_all.deb", "stet_fixture-1.0.0.tar.gz"), Stream.of(release.get(0).split(" ")).skip(10)
                .map(file -> file.replaceFirst("target/release/", "")).sorted().toList());
        for (String name : List.of("Build the image for x64 and arm64", "npm", "PyPI", "Maven Central")) {
            String log = done(name).log;
            assertFalse(log.contains("secret"), log);
        }
        List<String> expected = new ArrayList<>(List.of("docker login ghcr.io --username ada --password-stdin", "  < registry-secret",
                "docker buildx build --platform linux/amd64,linux/arm64 -f CONTEXT/app/docs/Containerfile --tag ghcr.io/ada/stet:1.0.0"
                + " --tag ghcr.io/ada/stet:latest --push CONTEXT", "npm publish --access public ./target/release/stet-cli-1.0.0.tgz",
                "npm publish --access public ./target/release/stet-fixture-1.0.0.tgz", "python3 -m venv target/twine", "pip install --quiet twine",
                "twine check target/release/stet_fixture-1.0.0.tar.gz", "twine upload --non-interactive target/release/stet_fixture-1.0.0.tar.gz"));
        expected.addAll(List.of("gpg --batch --quiet --import", "  < signing-secret",
                "gpg --batch --quiet --yes --armor --detach-sign target/release/maven/stet/stet-testing-1.0.0.jar", "zip -qr ../../central.zip .",
                "curl --fail-with-body -sS -H @- -F bundle=@target/central.zip https://central.sonatype.com/api/v1/publisher/upload?publishingType=USER_MANAGED&name=stet-1.0.0",
                "  < Authorization: Bearer central-secret"));
        assertEquals(expected, calls().stream().map(String::stripTrailing).toList());
    }

    @Test
    void aRegistryWithoutASecretIsSkipped() throws IOException {
        environment.putAll(Map.of("PUBLISH", "true", "GITHUB_REF_NAME", TAG, "CENTRAL_TOKEN", "central-secret"));
        done("Build twice and compare");
        for (Map.Entry<String, String> each : Map.of("npm", "NPM_TOKEN", "PyPI", "PYPI_TOKEN", "Maven Central", "SIGNING_KEY").entrySet()) {
            assertEquals("The secret " + each.getValue() + " is not set, so nothing is published here.", done(each.getKey()).log.strip());
        }
        assertEquals(List.of(), calls());
    }

    @Test
    void buildsThatDifferAreNoRelease() throws IOException {
        Files.createFile(clone.resolve("odd"));
        Result result = step("Build twice and compare");
        assertEquals(1, result.code);
        assertTrue(result.log.contains("stet-cli-1.0.0.tgz"), result.log);
    }

    @Test
    void aDamagedFileIsNotPublished() throws IOException {
        environment.putAll(Map.of("PUBLISH", "true", "GITHUB_REF_NAME", TAG));
        done("Build twice and compare");
        Files.writeString(clone.resolve("target/release/stet.jar"), "x");
        assertEquals(1, step("Create the release with notes and sums").code);
        assertEquals(List.of(), calls());
    }

    /** Scripts of a release that no test runs are at least parsed. */
    @Test
    void theShellCanReadEachScript() throws IOException, InterruptedException {
        List<String> broken = new ArrayList<>();
        int scripts = 0;
        for (Path place : List.of(Path.of("app/package"), Path.of("app/ci"), Path.of(".ci"), Path.of("app/main"))) {
            try (Stream<Path> files = Files.list(place)) {
                for (Path file : files.filter(Files::isRegularFile).filter(each -> !each.toString().endsWith(".java")).toList()) {
                    String start = Files.readAllLines(file).stream().findFirst().orElse("");
                    if (start.startsWith("#!") || start.startsWith("# Part ")) {
                        scripts++;
                        if (new ProcessBuilder(start.endsWith("bash") ? "bash" : "sh", "-n", file.toString()).redirectError(ProcessBuilder.Redirect.DISCARD).start().waitFor() != 0) {
                            broken.add(file.toString());
                        }
                    }
                }
            }
        }
        assertEquals(List.of(), broken);
        assertTrue(scripts >= 15, scripts + " scripts");
    }

    @Test
    void theFormulaHasTheSumAndTheAddressOfTheRelease() throws IOException, InterruptedException {
        List<String> lines = Files.readAllLines(formula(Files.writeString(folder.resolve("some.jar"), "jar"))).stream().map(String::strip).toList();
        assertTrue(lines.containsAll(List.of("class Stet < Formula", "homepage \"https://example.com/stet\"", "url \"https://example.com/stet/releases/download/v1.0.0/stet.jar\"",
                "version \"1.0.0\"", "sha256 \"" + FilesDigest.hex(Secret.sha256("jar")) + "\"", "license \"MIT\"")), lines.toString());
    }

    @Test
    void rubyCanReadTheFormula() throws IOException, InterruptedException {
        Machine.may(Machine.run("ruby", "--version") == 0, "ruby is not on the PATH");
        Path formula = formula(Files.writeString(folder.resolve("some.jar"), "jar"));
        assertEquals(0, Machine.run("ruby", "-c", formula.toString()));
    }

    private Path formula(Path jar) throws IOException, InterruptedException {
        Path formula = folder.resolve("stet.rb");
        assertEquals(0, new ProcessBuilder("sh", "app/package/formula", jar.toString(), "1.0.0", "https://example.com/stet/releases/download/v1.0.0")
                .redirectOutput(formula.toFile()).start().waitFor());
        return formula;
    }

    @Test
    void ciTestsWithJava17And21And25() throws IOException {
        Map<String, Object> job = map(map(yaml(WORKFLOWS.get(0)).get("jobs")).get("test"));
        assertEquals(List.of("17", "21", "25"), map(map(job.get("strategy")).get("matrix")).get("java"));
    }

    @Test
    void actionlintFindsNothing() throws IOException, InterruptedException {
        Machine.may(Stream.of(System.getenv("PATH").split(":")).anyMatch(path -> Files.isExecutable(Path.of(path, "actionlint"))), "actionlint is not on the PATH");
        Path output = folder.resolve("output");
        List<String> command = new ArrayList<>(List.of("actionlint"));
        Stream.concat(WORKFLOWS.stream(), Stream.of(Path.of("app/examples/mails/.github/workflows/mails.yml"))).forEach(file -> command.add(file.toString()));
        int code = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile()).start().waitFor();
        assertEquals(0, code, Files.readString(output));
    }
}
