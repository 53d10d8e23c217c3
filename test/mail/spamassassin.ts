import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runProgram } from '../support/child.ts'
import { type CleanedUp, temporaryFolder } from '../support/clean-up.ts'
import { ensureInstalled } from '../support/install.ts'

/** A mail as the mail server of its recipient received it. */
interface DeliveredMail {
  sender: string
  recipients: string[]
  raw: string
}

/** A rule that matched a mail. A positive score speaks for spam. */
export interface SpamHit {
  rule: string
  score: number
}

// The rules of the package, not those that the machine may have downloaded, and nothing learnt from other mails.
const PARAMETERS = [
  '--local',
  '--nocreate-prefs',
  '--configpath=/usr/share/spamassassin',
  '--cf=use_bayes 0',
  '--cf=fold_headers 0',
  '--cf=add_header all Scores _TESTSSCORES(,)_',
  '--mbox',
]

/**
 * The rules of SpamAssassin that match each mail, without tests on the network. One process checks all mails, since it
 * takes seconds to start.
 */
export async function spamHits(test: CleanedUp, mails: DeliveredMail[]): Promise<SpamHit[][]> {
  const program = await ensureInstalled('/usr/bin/spamassassin', 'spamassassin')
  const folder = await temporaryFolder(test)
  const mbox = join(folder, 'mbox')
  await writeFile(mbox, mails.map(asMboxEntry).join(''))
  const env = { ...process.env, HOME: folder, LC_ALL: 'C' }
  const printed = await runProgram(test, program, [...PARAMETERS, mbox], { env })
  // SpamAssassin checks the mails of a folder in an order of its own.
  const found = new Map<string, SpamHit[]>()
  for (const head of printed.split(/^(?=From )/m).map((mail) => mail.slice(0, mail.indexOf('\n\n')))) {
    const scores = /^X-Spam-Scores: (.*)$/m.exec(head)?.[1]
    assert.ok(scores !== undefined, `SpamAssassin has not checked ${head}`)
    found.set(messageId(head), scores === 'none' ? [] : scores.split(',').map(hitOf))
  }
  return mails.map(({ raw }) => found.get(messageId(raw)) ?? assert.fail('SpamAssassin has not checked all mails'))
}

/** The mail after its delivery: with the headers that the mail server of the recipient adds. */
function asMboxEntry({ sender, recipients, raw }: DeliveredMail): string {
  const date = new Date().toUTCString()
  const [, day, month, year, time] = /^\w+, (\d+) (\w+) (\d+) (\S+)/.exec(date) ?? []
  const host = `mail.${sender.split('@')[1]}`
  // Not an address for documentation: a rule matches those.
  return `From ${sender} ${date.slice(0, 3)} ${month} ${day} ${time} ${year}
Return-Path: <${sender}>
Received: from ${host} (${host} [5.9.100.25])
\tby mx.example.com with ESMTPS id 4WxYz12abc
\tfor <${recipients[0]}>; ${date.replace('GMT', '+0000')}
${raw.replaceAll('\r\n', '\n').replace(/^From /gm, '>From ')}
`
}

function messageId(head: string): string {
  return /^Message-ID: (\S+)/im.exec(head)?.[1] ?? assert.fail('a mail has no Message-ID')
}

function hitOf(text: string): SpamHit {
  const [rule = '', score] = text.split('=')
  return { rule, score: Number(score) }
}
