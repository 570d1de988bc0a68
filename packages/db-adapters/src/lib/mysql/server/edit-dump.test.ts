import { expect, test } from 'vitest'
import { editDump } from './edit-dump.js'

async function edited(text: string, size: number): Promise<string> {
  const bytes = Buffer.from(text)
  const pieces = (async function* () {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
  })()
  const parts: Buffer[] = []
  for await (const part of editDump(pieces, { database: 'steward_1' })) parts.push(part)
  return Buffer.concat(parts).toString()
}

const lines = (...given: string[]) => given.join('\n')

test.each([1, 7, 64, 10_000])('owners and the first line of MariaDB go, in pieces of %d bytes', async (size) => {
  const dump = lines(
    String.raw`/*M!999999\- enable the sandbox mode */ `,
    '-- MariaDB dump',
    '/*!50013 DEFINER=`a``b`@`local%` SQL SECURITY DEFINER */',
    '/*!50001 VIEW `v` AS select 1 AS `1` */;',
    "/*!50001 VIEW `gone` AS select `steward_1`.`a`.`b` AS `b`,`other`.`a`.`b` AS `c` from `a` where `steward_1`.`b` <> '`steward_1`.`a`.`b`' */;",
    '/*!50003 CREATE*/ /*!50017 DEFINER=`a`@`b`*/ /*!50003 TRIGGER t before insert on x for each row set @a = 1 */;;',
    'CREATE DEFINER=`a`@`b` PROCEDURE `p`()',
    '/*!50106 CREATE*/ /*!50117 DEFINER=`a`@`b`*/ /*!50106 EVENT e on schedule every 1 day do select 1 */ ;;',
    "INSERT INTO `t` VALUES ('ä CREATE DEFINER=`a`@`b` x','/*!50013 DEFINER=`a`@`b` */');",
    '-- Dump completed',
  )
  expect(await edited(dump, size)).toBe(
    lines(
      '-- MariaDB dump',
      '/*!50013 SQL SECURITY DEFINER */',
      '/*!50001 VIEW `v` AS select 1 AS `1` */;',
      "/*!50001 VIEW `gone` AS select `a`.`b` AS `b`,`other`.`a`.`b` AS `c` from `a` where `steward_1`.`b` <> '`steward_1`.`a`.`b`' */;",
      '/*!50003 CREATE*/ /*!50017 */ /*!50003 TRIGGER t before insert on x for each row set @a = 1 */;;',
      'CREATE PROCEDURE `p`()',
      '/*!50106 CREATE*/ /*!50117 */ /*!50106 EVENT e on schedule every 1 day do select 1 */ ;;',
      "INSERT INTO `t` VALUES ('ä CREATE DEFINER=`a`@`b` x','/*!50013 DEFINER=`a`@`b` */');",
      '-- Dump completed',
    ),
  )
})
