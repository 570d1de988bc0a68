<%@ page contentType="text/plain; charset=UTF-8" pageEncoding="UTF-8" session="false" trimDirectiveWhitespaces="true"
%><%@ include file="store.jspf" %><%
String status = "OK";
try (Connection connection = connect()) {
  if (connection != null && !connection.isValid(2)) status = "DATABASE";
} catch (SQLException problem) {
  status = "DATABASE";
}
response.setHeader("Cache-Control", "no-store");
if (!status.equals("OK")) response.setStatus(503);
out.print("[platform]\nstatus=" + status + "\n\n[process]\npid=" + ProcessHandle.current().pid() + "\n");
%>
