interface Connection {
  execute(sql: string): Promise<unknown>
  close(): Promise<void>
}

/** Runs one statement in the database of `url`, as the user of `url`. */
export async function executeOracle(url: string, sql: string): Promise<void> {
  // The driver has no types.
  const driver: string = 'oracledb'
  const { default: oracle } = (await import(driver)) as {
    default: { getConnection(options: object): Promise<Connection> }
  }
  const { username, password, host, pathname } = new URL(url)
  const connection = await oracle.getConnection({
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
    connectString: `${host}${pathname}`,
  })
  try {
    await connection.execute(sql)
    await connection.execute('commit')
  } finally {
    await connection.close()
  }
}

/** A user with a schema of its own, made by the administrator of `url`. */
export async function freshOracle(url: string, name: string) {
  await executeOracle(url, `create user ${name} identified by "${name}" quota unlimited on users`)
  await executeOracle(
    url,
    `grant create session, create table, create sequence, create trigger, create view, create procedure to ${name}`,
  )
  const fresh = new URL(url)
  fresh.username = name
  fresh.password = name
  return {
    url: fresh.href,
    drop: () =>
      executeOracle(
        url,
        `begin
           for s in (select sid, serial# as serial from v$session where username = upper('${name}')) loop
             begin
               execute immediate 'alter system kill session ''' || s.sid || ',' || s.serial || ''' immediate';
             exception when others then null;
             end;
           end loop;
           execute immediate 'drop user ${name} cascade';
         end;`,
      ),
  }
}
