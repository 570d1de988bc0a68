<%@ page contentType="text/html; charset=UTF-8" pageEncoding="UTF-8" trimDirectiveWhitespaces="true"
%><%@ include file="WEB-INF/store.jspf" %><!doctype html>
<html lang="en">
  <title>Notes</title>
  <h1>Notes</h1>
  <ul>
    <% for (String note : notes()) { %>
    <li><%= note.replace("&", "&amp;").replace("<", "&lt;") %></li>
    <% } %>
  </ul>
  <form method="post" action="<%= request.getContextPath() %>/notes">
    <label>Note <input name="note" maxlength="200" required></label>
    <button>Add</button>
  </form>
</html>
