;; What one query is compared with, many vectors at a time. `npm run kernel` assembles it into src/adapters/flat/kernel.ts.
(module
  (import "vectors" "memory" (memory 1))

  ;; For each of `count` vectors, one behind the other from `signs` on: how many of its bits differ from the query's, as an
  ;; int32 from `distances` on. `bytes` of a vector are a multiple of 8, and at least 8.
  (func (export "distances")
    (param $query i32) (param $signs i32) (param $count i32) (param $bytes i32) (param $distances i32)
    (local $end i32) (local $word i32) (local $next i32) (local $differing i64)
    (local.set $end (i32.add (local.get $distances) (i32.shl (local.get $count) (i32.const 2))))
    (block $done
      (loop $vectors
        (br_if $done (i32.ge_u (local.get $distances) (local.get $end)))
        (local.set $differing (i64.const 0))
        (local.set $word (local.get $query))
        (local.set $next (i32.add (local.get $signs) (local.get $bytes)))
        (loop $words
          (local.set $differing
            (i64.add (local.get $differing)
              (i64.popcnt (i64.xor (i64.load (local.get $word)) (i64.load (local.get $signs))))))
          (local.set $word (i32.add (local.get $word) (i32.const 8)))
          (local.set $signs (i32.add (local.get $signs) (i32.const 8)))
          (br_if $words (i32.lt_u (local.get $signs) (local.get $next))))
        (i32.store (local.get $distances) (i32.wrap_i64 (local.get $differing)))
        (local.set $distances (i32.add (local.get $distances) (i32.const 4)))
        (br $vectors))))

  ;; For each of `count` vectors, named by int32 numbers from `slots` on, of those that stand one behind the other from `codes`
  ;; on: the sum over `dimension` numbers of query (int16) times code (int8), as an int32 in the place of its name. `dimension`
  ;; is a multiple of 16, and at least 16.
  (func (export "products")
    (param $query i32) (param $codes i32) (param $slots i32) (param $count i32) (param $dimension i32)
    (local $end i32) (local $ahead i32) (local $number i32) (local $code i32) (local $next i32) (local $touched i32)
    (local $even v128) (local $odd v128)
    (local.set $end (i32.add (local.get $slots) (i32.shl (local.get $count) (i32.const 2))))
    (local.set $ahead (local.get $slots))
    (block $done
      (loop $vectors
        (br_if $done (i32.ge_u (local.get $slots) (local.get $end)))
        ;; They lie far apart in memory. A byte of each cache line of the next sixteen is read first, so that the processor
        ;; fetches them all at the same time instead of one after the other.
        (if (i32.eq (local.get $slots) (local.get $ahead))
          (then
            (local.set $ahead (i32.add (local.get $ahead) (i32.const 64)))
            (if (i32.gt_u (local.get $ahead) (local.get $end)) (then (local.set $ahead (local.get $end))))
            (local.set $number (local.get $slots))
            (loop $rows
              (local.set $code
                (i32.add (local.get $codes) (i32.mul (i32.load (local.get $number)) (local.get $dimension))))
              (local.set $next (i32.add (local.get $code) (local.get $dimension)))
              (loop $lines
                (local.set $touched (i32.or (local.get $touched) (i32.load8_u (local.get $code))))
                (local.set $code (i32.add (local.get $code) (i32.const 64)))
                (br_if $lines (i32.lt_u (local.get $code) (local.get $next))))
              (local.set $number (i32.add (local.get $number) (i32.const 4)))
              (br_if $rows (i32.lt_u (local.get $number) (local.get $ahead))))))
        ;; Two sums run beside each other: neither waits for the other's addition.
        (local.set $even (v128.const i32x4 0 0 0 0))
        (local.set $odd (v128.const i32x4 0 0 0 0))
        (local.set $number (local.get $query))
        (local.set $code
          (i32.add (local.get $codes) (i32.mul (i32.load (local.get $slots)) (local.get $dimension))))
        (local.set $next (i32.add (local.get $code) (local.get $dimension)))
        (loop $numbers
          (local.set $even
            (i32x4.add (local.get $even)
              (i32x4.dot_i16x8_s (v128.load (local.get $number)) (v128.load8x8_s (local.get $code)))))
          (local.set $odd
            (i32x4.add (local.get $odd)
              (i32x4.dot_i16x8_s (v128.load offset=16 (local.get $number)) (v128.load8x8_s offset=8 (local.get $code)))))
          (local.set $number (i32.add (local.get $number) (i32.const 32)))
          (local.set $code (i32.add (local.get $code) (i32.const 16)))
          (br_if $numbers (i32.lt_u (local.get $code) (local.get $next))))
        (local.set $even (i32x4.add (local.get $even) (local.get $odd)))
        (i32.store (local.get $slots)
          (i32.add
            (i32.add (i32x4.extract_lane 0 (local.get $even)) (i32x4.extract_lane 1 (local.get $even)))
            (i32.add (i32x4.extract_lane 2 (local.get $even)) (i32x4.extract_lane 3 (local.get $even)))))
        (local.set $slots (i32.add (local.get $slots) (i32.const 4)))
        (br $vectors)))))
