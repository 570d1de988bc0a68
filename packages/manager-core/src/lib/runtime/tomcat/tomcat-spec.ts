/** What Tomcat serves a Java web application with. */
export interface TomcatSpec {
  /** Folder of the web application, with its `WEB-INF`. */
  readonly app: string
  /** Path below which it is served: `/` or `/<name>`. */
  readonly context: string
  /** Folder of the JDK or JRE. */
  readonly java: string
  /** Folder of Tomcat: `CATALINA_HOME`. */
  readonly home: string
  readonly encoding: string
  /** Initial size of the heap, in megabytes; `InstanceSpec.maxMemoryMb` is the most. Default: Java's own. */
  readonly minMemoryMb?: number | undefined
  /** Where on loopback the debugger listens when it is opened. Default: a free port. */
  readonly debugPort?: number | undefined
  /** JNDI resource `jdbc/service`. Its address and credentials are in the environment: `SERVICE_DATABASE_…`. */
  readonly dataSource?: TomcatDataSource | undefined
}

/** How the web application's database is reached by JNDI. */
export interface TomcatDataSource {
  /** `org.postgresql.Driver` */
  readonly driverClass: string
  /** Absolute path of a driver outside Tomcat. Default: in `lib` of the base or of Tomcat, or in the application. */
  readonly jar?: string | undefined
}
