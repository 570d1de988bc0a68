/** What Jasper makes of `WEB-INF/program.jsp`, below its folder of classes. */
export const compiledJsp = 'org/apache/jsp/WEB_002dINF/program_jsp.class'

/**
 * The test program of the contract as a web application, see `testProgram`: one JSP, which Tomcat itself compiles, so that
 * tests need no compiler.
 */
export const webXmlOfTest = (isCompiled: boolean) => `<?xml version="1.0" encoding="UTF-8"?>
<web-app xmlns="https://jakarta.ee/xml/ns/jakartaee" version="6.0" metadata-complete="true">
  <servlet>
    <servlet-name>program</servlet-name>
    ${
      isCompiled
        ? `<servlet-class>${compiledJsp.slice(0, -'.class'.length).replaceAll('/', '.')}</servlet-class>`
        : '<jsp-file>/WEB-INF/program.jsp</jsp-file>'
    }
    <load-on-startup>1</load-on-startup>
  </servlet>
  <servlet-mapping>
    <servlet-name>program</servlet-name>
    <url-pattern>/*</url-pattern>
  </servlet-mapping>
</web-app>
`

export const programJsp = `<%@ page contentType="text/plain; charset=UTF-8" pageEncoding="UTF-8" session="false"
  trimDirectiveWhitespaces="true" %><%!
final String id = java.util.UUID.randomUUID().toString();

public void jspInit() {
  String exit = System.getenv("TEST_EXIT");
  if (exit != null && !exit.isEmpty()) Runtime.getRuntime().halt(Integer.parseInt(exit));
  if ("ignore".equals(System.getenv("TEST_TERM")))
    sun.misc.Signal.handle(new sun.misc.Signal("TERM"), sun.misc.SignalHandler.SIG_IGN);
}
%><%
response.setHeader("Connection", "close");
switch (request.getPathInfo()) {
  case "/id":
    out.print(id);
    break;
  case "/environment": {
    String value = System.getenv(request.getParameter("name"));
    out.print(value == null ? "" : value);
    break;
  }
  case "/property":
    out.print(System.getProperty(request.getParameter("name"), ""));
    break;
  case "/memory":
    out.print(Runtime.getRuntime().maxMemory() / 1048576);
    break;
  case "/caller":
    out.print(request.getScheme() + " " + request.getRemoteAddr() + " " + request.getContextPath());
    break;
  case "/fill": {
    java.util.List<long[]> all = new java.util.ArrayList<>();
    while (true) all.add(new long[1000000]);
  }
  case "/files": {
    int most = Integer.parseInt(request.getParameter("most"));
    java.util.List<java.io.InputStream> opened = new java.util.ArrayList<>();
    try {
      while (opened.size() < most) opened.add(new java.io.FileInputStream("/dev/null"));
    } catch (java.io.IOException full) {
      // No more are allowed.
    }
    for (java.io.InputStream file : opened) file.close();
    out.print(opened.size());
    break;
  }
  case "/folder":
    out.print(System.getProperty("user.dir"));
    break;
  case "/exit":
    Runtime.getRuntime().halt(Integer.parseInt(request.getParameter("code")));
    break;
  case "/kill":
    new ProcessBuilder("kill", "-KILL", String.valueOf(ProcessHandle.current().pid())).start().waitFor();
    break;
  case "/print": {
    String times = request.getParameter("times");
    String text = request.getParameter("text");
    if (times == null) System.out.println(text);
    else for (int number = 1; number <= Integer.parseInt(times); number++) System.out.println(text + " " + number);
    break;
  }
  default:
    response.setStatus(404);
}
%>
`
