/** A part of a damage, in the words of mees_adapt --damage (see docs/damage.md). */
export interface DamagePart {
  kind: 'motor' | 'lock' | 'weak' | 'friction' | 'shorten' | 'mass' | 'strength' | 'damping' | 'gravity';
  /** Of a motor, joint or body; '' for all. */
  name: string;
  value: number;
}

/** Words that multiply: of everything, or kind:NAME=... of one. */
const FACTORS = ['friction', 'mass', 'strength', 'damping', 'gravity'] as const;

function invalid(part: string, why: string, remedy: string): never {
  throw new Error(`invalid damage "${part}" (${why}). ${remedy}`);
}

function parse_part(part: string): DamagePart {
  const match = /^(?:(lock|weak|shorten|mass|strength|damping):)?([^:=]*?)(?:=([+-]?)(.*))?$/.exec(part);
  const usage = 'Use J0, lock:JOINT, weak:MOTOR=0.3, friction=0.5, shorten:BODY=0.7, mass:BODY=+1.5, mass=1.2, strength=1.2, damping=0.5 or gravity=0.9.';
  if (!match) {
    return invalid(part, 'it is neither a motor nor a joint nor a change of the model', usage);
  }
  const [, word, name, sign, digits] = match;
  const value = digits === undefined ? NaN : Number((sign ?? '') + digits);
  const has_value = digits !== undefined;
  if (has_value && (digits.trim() === '' || !Number.isFinite(value))) {
    invalid(part, `"${digits}" is not a number`, 'Write it like NAME=0.5.');
  }
  const factor = FACTORS.find((kind) => (word ? kind === word && kind !== 'mass' : kind === name));
  if (factor && has_value) {
    return !sign && value > 0 ? { kind: factor, name: word ? name : '', value }
      : invalid(part, `${factor} is multiplied by a number above 0`, `Write it like ${factor}=0.5.`);
  }
  if (!word && !has_value && name !== '') {
    return { kind: 'motor', name, value: 0 };
  }
  if (word === 'lock' && !has_value) {
    return { kind: 'lock', name, value: 0 };
  }
  if ((word === 'weak' || word === 'shorten') && has_value && !sign && value > 0 && value <= 1) {
    return { kind: word, name, value };
  }
  if (word === 'weak' || word === 'shorten') {
    return invalid(part, 'the share that remains must be above 0 and at most 1', `Write it like ${word}:${name}=0.5.`);
  }
  if (word === 'mass') {
    return sign ? { kind: 'mass', name, value } : invalid(part, 'a change of mass must have a sign', 'Write it like mass:BODY=+1.5.');
  }
  return invalid(part, 'it is neither a motor nor a joint nor a change of the model', usage);
}

/** Parts joined by commas; an empty text is no damage. */
export function parse_damage(text: string): DamagePart[] {
  return text.trim() === '' ? [] : text.split(',').map((part) => parse_part(part.trim()));
}
