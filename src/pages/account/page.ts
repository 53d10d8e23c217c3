import type { Request } from '../../http/request.ts'
import type { Html } from '../html.ts'
import type { Visitor } from '../visitor.ts'
import type { Entry } from './entry.ts'
import type { Notice } from './notices.ts'

/** Somebody at a page: what they ask for, who they are, and what they may do. */
export interface Visit {
  request: Request
  query: URLSearchParams
  visitor: Visitor | undefined
  /** Does what the API does, under the same checks, and gives the data of its answer. */
  perform<Data = unknown>(call: string, input?: object): Promise<Data>
}

export interface MemberVisit extends Visit {
  visitor: Visitor
}

export interface Submission {
  fields: Record<string, string>
  file: Uint8Array | undefined
}

/** Where to go when a form is done with, and what to say there. */
export interface Done {
  /** A path of this site, or the address of a provider. */
  to: string
  notice?: Notice
  cookies?: string[]
}

interface Page<V extends Visit> {
  path: string
  title: string
  /** One sentence: what it is for. */
  description: string
  /** The calls of the API that do the same. */
  calls: string[]
  /** The modules of `pages/web` that make it nicer. */
  scripts?: string[]
  /** Whether one of its forms has a picture in it. */
  takesFiles?: boolean
  main(visit: V, entry: Entry): Html | Promise<Html>
  /** What each form of the page does, by its name. */
  forms: Record<string, (visit: V, submission: Submission) => Promise<Done>>
}

/** For anyone; or for those who are not signed in yet, and others are sent on. */
export interface OpenPage extends Page<Visit> {
  access: 'anyone' | 'guests'
}

/** For those who are signed in; others are asked to log in first. */
export interface MemberPage extends Page<MemberVisit> {
  access: 'members'
}

export type AccountPage = OpenPage | MemberPage
