package stet;

import com.sun.jdi.Bootstrap;
import com.sun.jdi.Method;
import com.sun.jdi.ObjectReference;
import com.sun.jdi.VirtualMachine;
import com.sun.jdi.connect.AttachingConnector;
import com.sun.jdi.connect.Connector;
import com.sun.jdi.event.Event;
import com.sun.jdi.event.EventSet;
import com.sun.jdi.event.MethodEntryEvent;
import com.sun.jdi.request.EventRequest;
import com.sun.jdi.request.MethodEntryRequest;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Traces a request after warm-up: records its classes, methods and queues from a debugger's method entry events. */
final class Trace {
    private static final int WARM_UP = 300;
    private static final int MOST_CLASSES = 24;
    private static final int MOST_QUEUES = 2;
    /** Ends a thread's trace after this many ms without events. */
    private static final int QUIET = 2_000;
    /** Timers that run independently of requests. */
    private static final Set<String> TIMERS = Set.of("stet-timer", "stet-task", "stet-backup");

    private Trace() {
    }

    static List<Line> measure(Lab lab) throws Exception {
        Data data = lab.small();
        String key = Files.readAllLines(data.keys()).get(0);
        int port;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        try (Child stet = lab.stet(data, "-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,quiet=y,address=127.0.0.1:" + port)) {
            String url = stet.url();
            for (int i = 0; i < WARM_UP; i++) {
                Throughput.fetch(url, Throughput.HTML, key);
            }
            return List.of(line(trace(attach(port), () -> Throughput.fetch(url, Throughput.HTML, key))));
        }
    }

    private interface Work {
        void run() throws Exception;
    }

    /** The distinct methods by thread and class, and the queues that received an element. */
    private record Traced(Map<String, Set<String>> methods, Set<String> threads, Set<Long> queues) {
    }

    private static VirtualMachine attach(int port) throws Exception {
        AttachingConnector connector = Bootstrap.virtualMachineManager().attachingConnectors().stream()
                .filter(each -> each.name().equals("com.sun.jdi.SocketAttach")).findFirst().orElseThrow();
        Map<String, Connector.Argument> arguments = connector.defaultArguments();
        arguments.get("hostname").setValue("127.0.0.1");
        arguments.get("port").setValue(Integer.toString(port));
        return connector.attach(arguments);
    }

    private static Traced trace(VirtualMachine stet, Work work) throws Exception {
        for (String classes : List.of("stet.*", "java.util.concurrent.LinkedBlockingQueue", "java.util.concurrent.ConcurrentLinkedQueue",
                "java.util.concurrent.ArrayBlockingQueue")) {
            MethodEntryRequest entries = stet.eventRequestManager().createMethodEntryRequest();
            entries.addClassFilter(classes);
            entries.setSuspendPolicy(EventRequest.SUSPEND_EVENT_THREAD);
            entries.enable();
        }
        Thread client = new Thread(() -> {
            try {
                work.run();
            } catch (Exception failure) {
                throw new IllegalStateException(failure);
            }
        });
        client.start();
        Traced traced = new Traced(new TreeMap<>(), new TreeSet<>(), new TreeSet<>());
        List<String> order = new ArrayList<>();
        for (EventSet events = stet.eventQueue().remove(QUIET); events != null; events = client.isAlive()
                ? stet.eventQueue().remove(QUIET) : stet.eventQueue().remove(1)) {
            for (Event event : events) {
                if (event instanceof MethodEntryEvent entry && !TIMERS.contains(entry.thread().name())) {
                    note(traced, entry, order);
                }
            }
            events.resume();
        }
        stet.dispose();
        order.forEach(each -> Lab.say("        " + each));
        return traced;
    }

    private static void note(Traced traced, MethodEntryEvent entry, List<String> order) throws Exception {
        Method method = entry.method();
        String type = method.declaringType().name();
        if (!type.startsWith("stet.")) {
            if (Set.of("offer", "add", "put").contains(method.name())) {
                ObjectReference queue = entry.thread().frame(0).thisObject();
                traced.queues.add(queue.uniqueID());
            }
            return;
        }
        if (traced.methods.computeIfAbsent(type, any -> new TreeSet<>()).add(method.name() + method.signature())) {
            order.add(entry.thread().name() + "  " + type + "." + method.name());
        }
        traced.threads.add(entry.thread().name().replaceAll("\\d+$", ""));
    }

    private static Line line(Traced traced) {
        Map<String, Integer> topLevel = new LinkedHashMap<>();
        traced.methods.forEach((type, methods) -> topLevel.merge(type.replaceAll("[$/].*", ""), methods.size(), Integer::sum));
        int methods = topLevel.values().stream().mapToInt(Integer::intValue).sum();
        Lab.say("        " + String.join(" ", topLevel.keySet()).replace("stet.", ""));
        boolean reached = topLevel.size() <= MOST_CLASSES && traced.queues.size() <= MOST_QUEUES;
        return Line.plain("warm GET", topLevel.size() + " top-level classes (" + traced.methods.size() + " with nested ones), " + methods
                + " methods, " + traced.queues.size() + " queues, threads " + String.join(", ", traced.threads),
                "at most " + MOST_CLASSES + " top-level classes, " + MOST_QUEUES + " queues", reached, "too many");
    }
}
