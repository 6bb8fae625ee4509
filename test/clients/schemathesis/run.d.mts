export function install(): void;
export function tryOut(
  url: string,
  key: string | undefined,
  bounds: {
    seed: number | string;
    phases: string;
    examples: number;
    seconds?: number | undefined;
    operations?: readonly string[];
  },
): Promise<{ status: number; output: string }>;
