// SPDX-License-Identifier: Apache-2.0
/// Operations of the front end, and the parts of a completion entry that it is given.
package npu_front_end_pkg;

  localparam int unsigned OpWidth = 4;

  localparam logic [OpWidth-1:0] OpOpen      = 4'd0;   // value: CQ mask, SQ mask (31:0)
  localparam logic [OpWidth-1:0] OpClose     = 4'd1;
  // value: how many entries were added (T-FE-1)
  localparam logic [OpWidth-1:0] OpRing      = 4'd2;
  localparam logic [OpWidth-1:0] OpFetch     = 4'd3;   // value: read time (T-FE-4 to T-FE-6)
  localparam logic [OpWidth-1:0] OpRetire    = 4'd4;   // T-FE-3
  localparam logic [OpWidth-1:0] OpSetHead   = 4'd5;   // value: head (T-FE-8)
  localparam logic [OpWidth-1:0] OpDrop      = 4'd6;   // what was read ahead (T-FE-7)
  localparam logic [OpWidth-1:0] OpDropAll   = 4'd7;   // the head moves to the tail (T-SCH-15)
  localparam logic [OpWidth-1:0] OpLook      = 4'd8;   // is an SQE there (T-FE-1)
  // cqe: an entry for the CQ (T-CQ-1 to T-CQ-3)
  localparam logic [OpWidth-1:0] OpComplete  = 4'd9;
  localparam logic [OpWidth-1:0] OpSetCqHead = 4'd10;  // value: CQ head (T-CQ-5)
  localparam logic [OpWidth-1:0] OpReadIn    = 4'd11;  // value: most SQEs (T-HW-4)

  /// What an entry is made of. The front end adds phase, queue and head.
  typedef struct packed {
    logic        error;
    logic        event_record;
    logic        placeholder;
    logic [15:0] stream;
    logic [15:0] task_id;
    logic [63:0] timestamp;   // without an error
    logic [7:0]  code;        // with one, and so on
    logic [7:0]  error_type;  // bits 7:2 SQE type, 1 accelerator error, 0 drop
    logic [15:0] status;
  } cqe_t;

  localparam int unsigned QueueBits = 1 + 4 * 32 + 2 * 16 + 64 + 3 * 32;

  /// All that is kept of a queue: QueueBits of it.
  typedef struct packed {
    logic        is_open;
    logic [31:0] mask;        // entries of the ring less one
    logic [31:0] head;        // entries before the head, modulo 2^32
    logic [31:0] seen;        // entries rung, modulo 2^32
    logic [31:0] retired;     // SQEs retired since it was opened, modulo 2^32
    logic [15:0] buffered;    // SQEs of the buffer, from the head on
    logic [15:0] ahead;       // SQEs after them on their way
    logic [63:0] ahead_at;    // when those are there
    logic [31:0] cq_mask;
    logic [31:0] cq_head;
    logic [31:0] cq_tail;
  } queue_t;

endpackage
