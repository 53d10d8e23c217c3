// Preloaded into the picture processes and the background threads of services under test (`keepUsualPriority` in
// test-speed.ts). Plain JavaScript, as those threads start without the type stripper.
import childProcess from 'node:child_process'
import { syncBuiltinESMExports } from 'node:module'
import os from 'node:os'

// lib/low-priority.js calls setpriority(2) and runs chrt(1). Nothing else in these threads runs a program.
os.setPriority = () => {}
childProcess.execFile = () => {}
syncBuiltinESMExports()
