import java.io.File;
import java.nio.file.Files;
import org.jacorb.ir.IRServer;

/**
 * JacORB's interface repository. It knows the IDL of the classes in the directory "repository" beside
 * its own, and prints its reference.
 */
public final class InterfaceServer {
  public static void main(String[] arguments) throws Exception {
    System.setProperty("org.omg.CORBA.ORBClass", "org.jacorb.orb.ORB");
    System.setProperty("org.omg.CORBA.ORBSingletonClass", "org.jacorb.orb.ORBSingleton");
    System.setProperty("OAIAddr", "127.0.0.1");
    System.setProperty("jacorb.log.default.verbosity", "0");
    File reference = File.createTempFile("interfaces", ".ior");
    reference.deleteOnExit();
    String own = System.getProperty("java.class.path").split(File.pathSeparator)[0];
    String classes = new File(new File(own).getParent(), "repository").getPath();
    Thread server =
        new Thread(() -> IRServer.main(new String[] {classes, reference.getPath()}));
    server.setDaemon(true);
    server.start();
    // It tells its reference by the file alone.
    String ior = "";
    while (!ior.endsWith("\n")) {
      Thread.sleep(20);
      ior = Files.readString(reference.toPath());
    }
    System.out.print(ior);
    System.out.flush();
    while (System.in.read() >= 0) {}
    System.exit(0);
  }
}
