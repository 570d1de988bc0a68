<%@ page contentType="text/plain; charset=UTF-8" pageEncoding="UTF-8" session="false" trimDirectiveWhitespaces="true"
%><%@ include file="store.jspf" %><%
request.setCharacterEncoding("UTF-8");
if (request.getMethod().equals("POST")) {
  add(request.getParameter("note").strip());
  response.setStatus(201);
  return;
}
for (String note : notes()) out.print(note + "\n");
%>
