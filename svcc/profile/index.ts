import { accessSync, constants } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import type { Work } from '../../natives/core/work.js';
import { exitOnSignals } from '../../natives/endbysignal.js';
import { reasonOf } from '../../natives/reasons.js';
import { Profile } from '../../vm/watch/profile.js';
import { Sampler } from '../../vm/watch/sampling.js';
import type { VM } from '../../vm/vm.js';
import { LoadError } from '../loaderror.js';
import { replaceFile, statsOf } from '../replacefile.js';
import { VERSION } from '../version.js';
import { cpuProfile } from './cpuprofile.js';
import { profilePage } from './page.js';
import { speedscope } from './speedscope.js';
import { Ticker } from './ticker.js';

/**
 * Takes samples of a VM and writes them to `path` when the process ends, and on SIGUSR2.
 * @throws LoadError if the file cannot be written
 */
export function startProfile(vm: VM, path: string, program: string): void {
  // Programs may change the working directory.
  const target = resolve(path);
  checkWritable(path, target);
  const profile = new Profile();
  const sampler = new Sampler(vm, profile, (fiber) => (fiber.context as Partial<Work> | null)?.label ?? '');
  const ticker = new Ticker(sampler, () => vm.host.now());
  const before = process.cpuUsage();
  const write = (): void => {
    sampler.endWaits();
    const { user, system } = process.cpuUsage(before);
    writeProfile(vm, path, target, formatted(target, profile, basename(program), user + system));
  };
  process.on('SIGUSR2', write);
  process.prependListener('exit', () => {
    ticker.stop();
    write();
  });
  exitOnSignals();
}

/** @throws LoadError if a profile cannot be written there */
function checkWritable(path: string, target: string): void {
  const there = statsOf(target);
  if (/[\\/]$/.test(path) || there?.isDirectory() === true)
    throw new LoadError(`svcc: cannot write the profile ${path}: it is a directory`);
  try {
    accessSync(there === null ? dirname(target) : target, constants.W_OK);
  } catch (error) {
    throw new LoadError(`svcc: cannot write the profile ${path}: ${reasonOf(error)}`);
  }
}

/** The profile in the format that the name of the file asks for. */
function formatted(target: string, profile: Profile, program: string, cpu: number): string {
  if (target.endsWith('.html')) return profilePage(profile, program, cpu);
  if (target.endsWith('.cpuprofile')) return cpuProfile(profile);
  return speedscope(profile, program, `svcc ${VERSION}`);
}

function writeProfile(vm: VM, path: string, target: string, text: string): void {
  try {
    replaceFile(target, text);
  } catch (error) {
    vm.host.stderr(`svcc: cannot write the profile ${path}: ${reasonOf(error)}\n`);
  }
}
