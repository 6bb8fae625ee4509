import type { CallOptions, Stratalog } from '@stratalog/client';

type Parts<Of, Prefix extends string = ''> = {
  [Key in keyof Of & string]: Of[Key] extends (...values: never[]) => unknown
    ? `${Prefix}${Key}`
    : Of[Key] extends object
      ? Parts<Of[Key], `${Prefix}${Key}.`>
      : never;
}[keyof Of & string];

/** The name of a method of the client, such as `memories.get` or `admin.keys.list`. */
export type AskName = Parts<Omit<Stratalog, 'onBehalfOf' | 'url' | 'position'>>;

type MethodOf<Of, Name extends string> = Name extends `${infer First}.${infer Rest}`
  ? First extends keyof Of
    ? MethodOf<Of[First], Rest>
    : never
  : Name extends keyof Of
    ? Of[Name]
    : never;

type Method<Name extends AskName> = Extract<MethodOf<Stratalog, Name>, (...values: never[]) => unknown>;

type WithoutLast<Values extends readonly unknown[]> =
  Required<Values> extends [...infer First, unknown] ? First : [];

/** The arguments of a method before its options. All are required, so that the options keep their place. */
export type ArgumentsOf<Name extends AskName> = WithoutLast<Parameters<Method<Name>>>;

/** The answer of a method; of a list, one page. */
export type AnswerOf<Name extends AskName> = Awaited<ReturnType<Method<Name>>>;

/** A call of the API as the client makes it. */
export interface Ask<Name extends AskName = AskName> {
  readonly name: Name;
  readonly args: readonly unknown[];
}

/** Makes the call with this client. */
export function perform<Name extends AskName>(
  client: Stratalog,
  { name, args }: Ask<Name>,
  options: CallOptions & object = {},
): Promise<AnswerOf<Name>> {
  const names = name.split('.');
  const method = names.pop()!;
  const owner = names.reduce<unknown>((value, key) => (value as Record<string, unknown>)[key], client);
  const call = (owner as Record<string, (...values: unknown[]) => unknown>)[method]!;
  return Promise.resolve(call.call(owner, ...args, options)) as Promise<AnswerOf<Name>>;
}
