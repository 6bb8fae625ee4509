import { ValueType } from '@opentelemetry/api';
import { AggregationTemporality, DataPointType, type HistogramMetricData } from '@opentelemetry/sdk-metrics';
import type { SignedHistogram, SignedHistogramOptions } from '../../ports/metrics.ts';

/** Cumulative metrics are read without their times. */
const noTime: [number, number] = [0, 0];

/** A cumulative histogram without attributes that also counts negative values, which those of OpenTelemetry drop. */
export class CumulativeHistogram implements SignedHistogram {
  readonly #name: string;
  readonly #description: string;
  readonly #boundaries: readonly number[];
  /** One for each boundary, as the upper limit of its bucket, and one for what is above all of them. */
  readonly #counts: number[];
  #count = 0;
  #sum = 0;

  constructor(name: string, { description, boundaries }: SignedHistogramOptions) {
    this.#name = name;
    this.#description = description;
    this.#boundaries = boundaries;
    this.#counts = Array.from({ length: boundaries.length + 1 }, () => 0);
  }

  record(value: number): void {
    const bucket = this.#boundaries.findIndex((boundary) => value <= boundary);
    this.#counts[bucket < 0 ? this.#boundaries.length : bucket]!++;
    this.#count++;
    this.#sum += value;
  }

  data(): HistogramMetricData {
    const value = {
      buckets: { boundaries: [...this.#boundaries], counts: [...this.#counts] },
      count: this.#count,
      sum: this.#sum,
    };
    return {
      descriptor: {
        name: this.#name,
        description: this.#description,
        unit: '',
        valueType: ValueType.DOUBLE,
      },
      aggregationTemporality: AggregationTemporality.CUMULATIVE,
      dataPointType: DataPointType.HISTOGRAM,
      dataPoints: [{ startTime: noTime, endTime: noTime, attributes: {}, value }],
    };
  }
}
