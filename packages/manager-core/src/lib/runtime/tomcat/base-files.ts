import type { TomcatDataSource } from './tomcat-spec.js'

/** Path that Tomcat itself answers: 200 when the web application is deployed, else 503. */
export const deployedPath = '/.steward/deployed'

/** Folder below `webapps` of a web application that is served there. */
export function webappFolder(context: string): string {
  return context === '/' ? 'ROOT' : context.slice(1).replaceAll('/', '#')
}

/**
 * `conf/server.xml`: one connector on loopback, and no shutdown port, as signals end it. Variables of the environment are
 * put in when Tomcat reads it, so that no file has a port or a password. `RemoteIpValve` takes the caller's address and
 * protocol from the reverse proxy.
 */
export const serverXml = `<?xml version="1.0" encoding="UTF-8"?>
<!-- Written by Steward when the instance is added, upgraded or reset. Change it in the hooks of these actions. -->
<Server port="-1">
  <Listener className="org.apache.catalina.core.JreMemoryLeakPreventionListener"/>
  <Listener className="org.apache.catalina.core.ThreadLocalLeakPreventionListener"/>
  <Service name="Catalina">
    <Connector address="127.0.0.1" port="\${STEWARD_PORT}" URIEncoding="UTF-8" maxParameterCount="1000"/>
    <Engine name="Catalina" defaultHost="localhost">
      <Valve className="org.apache.catalina.valves.RemoteIpValve" internalProxies="127\\.0\\.0\\.1"
        protocolHeader="x-forwarded-proto" hostHeader="x-forwarded-host"/>
      <Host name="localhost" appBase="webapps" unpackWARs="false" autoDeploy="false" deployOnStartup="true">
        <Valve className="org.apache.catalina.valves.HealthCheckValve" path="${deployedPath}"/>
        <Valve className="org.apache.catalina.valves.ErrorReportValve" showReport="false" showServerInfo="false"/>
      </Host>
    </Engine>
  </Service>
</Server>
`

/** Name of the file in `conf` that is used when Tomcat gets a socket. */
export const socketServerFile = 'server-with-socket.xml'

/**
 * `conf/server.xml` with one more connector, like the one at the port, which takes the socket that its program has as
 * standard input. Undefined: there is no connector at the port, as hooks may have changed the file.
 */
export function withSocket(xml: string): string | undefined {
  const [connector] = /<Connector\b[^<>]*\bport="\$\{STEWARD_PORT\}"[^<>]*\/>/.exec(xml) ?? []
  if (connector === undefined) return undefined
  const another = connector
    .replace(/\s+address="[^"]*"/, '')
    // A path says that it is a Unix socket; nothing is made there.
    .replace('port="${STEWARD_PORT}"', 'port="0" useInheritedChannel="true" unixDomainSocketPath="temp/socket"')
  return xml.replace(connector, () => `${connector}\n    ${another}`)
}

/** `conf/context.xml`. The password is read from the environment: \`catalinaProperties\` says so. */
export function contextXml(dataSource: TomcatDataSource | undefined): string {
  const resource = dataSource
    ? `
  <Resource name="jdbc/service" auth="Container" type="javax.sql.DataSource" driverClassName="${dataSource.driverClass}"
    url="\${SERVICE_DATABASE_URL}" username="\${SERVICE_DATABASE_USER}" password="\${SERVICE_DATABASE_PASSWORD}"
    maxTotal="20" maxIdle="4" maxWaitMillis="10000"/>`
    : ''
  return `<?xml version="1.0" encoding="UTF-8"?>
<Context>${resource}
  <WatchedResource>WEB-INF/web.xml</WatchedResource>
</Context>
`
}

/** `conf/catalina.properties` */
export function catalinaProperties(dataSource: TomcatDataSource | undefined): string {
  const places = [
    ...['${catalina.base}/lib', '${catalina.base}/lib/*.jar', '${catalina.home}/lib', '${catalina.home}/lib/*.jar'],
    ...(dataSource?.jar === undefined ? [] : [dataSource.jar]),
  ]
  return `common.loader=${places.map((place) => `"${place}"`).join(',')}
server.loader=
shared.loader=
# Jars of Tomcat and of lib have no tag libraries, fragments or initializers that a web application needs.
tomcat.util.scan.StandardJarScanFilter.jarsToSkip=bootstrap.jar,catalina*.jar,tomcat-*.jar,jasper*.jar,*-api.jar,ecj*.jar
org.apache.tomcat.util.digester.PROPERTY_SOURCE=org.apache.tomcat.util.digester.EnvironmentPropertySource
`
}

/** `conf/logging.properties`: what Tomcat has to say goes where the application's output goes, problems only. */
export const loggingProperties = `handlers = java.util.logging.ConsoleHandler
.handlers = java.util.logging.ConsoleHandler
.level = INFO
java.util.logging.ConsoleHandler.level = ALL
java.util.logging.ConsoleHandler.formatter = org.apache.juli.OneLineFormatter
java.util.logging.ConsoleHandler.encoding = UTF-8
org.apache.catalina.level = WARNING
org.apache.coyote.level = WARNING
org.apache.jasper.level = WARNING
org.apache.tomcat.level = WARNING
# What a context writes with ServletContext.log is the application's.
org.apache.catalina.core.ContainerBase.[Catalina].[localhost].level = INFO
`

/** Types of files that the default servlet serves; `web.xml` of an application may name more. */
const types: Readonly<Record<string, string>> = {
  avif: 'image/avif',
  css: 'text/css',
  csv: 'text/csv',
  gif: 'image/gif',
  htm: 'text/html',
  html: 'text/html',
  ico: 'image/x-icon',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  js: 'text/javascript',
  json: 'application/json',
  map: 'application/json',
  md: 'text/markdown',
  mjs: 'text/javascript',
  mp3: 'audio/mpeg',
  mp4: 'video/mp4',
  ogg: 'audio/ogg',
  otf: 'font/otf',
  pdf: 'application/pdf',
  png: 'image/png',
  svg: 'image/svg+xml',
  ttf: 'font/ttf',
  txt: 'text/plain',
  wasm: 'application/wasm',
  webm: 'video/webm',
  webmanifest: 'application/manifest+json',
  webp: 'image/webp',
  woff: 'font/woff',
  woff2: 'font/woff2',
  xhtml: 'application/xhtml+xml',
  xml: 'application/xml',
  xsl: 'application/xml',
  zip: 'application/zip',
}

/** `conf/web.xml`, the same with every Tomcat: static files and JSPs. Debian's package brings none. */
export const webXml = `<?xml version="1.0" encoding="UTF-8"?>
<web-app xmlns="https://jakarta.ee/xml/ns/jakartaee" version="6.0">
  <servlet>
    <servlet-name>default</servlet-name>
    <servlet-class>org.apache.catalina.servlets.DefaultServlet</servlet-class>
    <load-on-startup>1</load-on-startup>
  </servlet>
  <servlet>
    <servlet-name>jsp</servlet-name>
    <servlet-class>org.apache.jasper.servlet.JspServlet</servlet-class>
    <init-param>
      <param-name>fork</param-name>
      <param-value>false</param-value>
    </init-param>
    <load-on-startup>3</load-on-startup>
  </servlet>
  <servlet-mapping>
    <servlet-name>default</servlet-name>
    <url-pattern>/</url-pattern>
  </servlet-mapping>
  <servlet-mapping>
    <servlet-name>jsp</servlet-name>
    <url-pattern>*.jsp</url-pattern>
    <url-pattern>*.jspx</url-pattern>
  </servlet-mapping>
  <session-config>
    <session-timeout>30</session-timeout>
    <cookie-config>
      <http-only>true</http-only>
    </cookie-config>
  </session-config>
${Object.entries(types)
  .map(
    ([ending, type]) =>
      `  <mime-mapping><extension>${ending}</extension><mime-type>${type}</mime-type></mime-mapping>\n`,
  )
  .join('')}  <welcome-file-list>
    <welcome-file>index.html</welcome-file>
    <welcome-file>index.jsp</welcome-file>
  </welcome-file-list>
</web-app>
`
