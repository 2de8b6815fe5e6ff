package stet.harness;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** Certificates, most of them signed by an authority of their own, made with the JDK's keytool. */
public final class Certificates {
    public static final String PASSWORD = "password";

    private Certificates() {
    }

    /**
     * Makes a key store with an authority and a certificate signed by it.
     *
     * @param host the certificate's name
     * @param more arguments of keytool, such as {@code -validity 5}
     */
    public static Path store(Path folder, String host, String... more) throws IOException, InterruptedException {
        Path store = folder.resolve(host + more.length + ".p12");
        keytool(folder, store, List.of("-alias", "authority", "-dname", "CN=authority", "-ext", "bc:c"));
        List<String> own = new ArrayList<>(List.of("-alias", "own", "-dname", "CN=" + host, "-ext", "san=dns:" + host, "-signer", "authority",
                "-signerkeypass", PASSWORD));
        own.addAll(List.of(more));
        keytool(folder, store, own);
        return store;
    }

    /** Makes a key store with only a self-signed certificate, which can be trusted as it is. */
    public static Path selfSigned(Path folder, String host) throws IOException, InterruptedException {
        Path store = folder.resolve(host + "-self.p12");
        keytool(folder, store, List.of("-alias", "own", "-dname", "CN=" + host, "-ext", "san=dns:" + host));
        return store;
    }

    private static void keytool(Path folder, Path store, List<String> more) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "keytool").toString(), "-genkeypair", "-keyalg", "EC",
                "-storetype", "PKCS12", "-storepass", PASSWORD, "-keystore", store.toString()));
        command.addAll(more);
        Path output = folder.resolve("keytool.txt");
        if (new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile()).start().waitFor() != 0) {
            throw new IOException(Files.readString(output));
        }
    }

    /** A context that uses the certificate in a store and trusts its authority. */
    public static SSLContext context(Path store) throws IOException, GeneralSecurityException {
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(store)) {
            keys.load(in, PASSWORD.toCharArray());
        }
        KeyStore authorities = KeyStore.getInstance("PKCS12");
        authorities.load(null, null);
        String signer = keys.containsAlias("authority") ? "authority" : "own";
        authorities.setCertificateEntry(signer, keys.getCertificate(signer));
        if (signer.equals("authority")) {
            keys.deleteEntry(signer);
        }
        KeyManagerFactory own = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        own.init(keys, PASSWORD.toCharArray());
        TrustManagerFactory trusted = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trusted.init(authorities);
        SSLContext tls = SSLContext.getInstance("TLS");
        tls.init(own.getKeyManagers(), trusted.getTrustManagers(), null);
        return tls;
    }
}
