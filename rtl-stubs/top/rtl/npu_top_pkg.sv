// SPDX-License-Identifier: Apache-2.0
/// What software can ask the top for, what it tells, and what it keeps of a queue.
package npu_top_pkg;

  // ---- software ----

  localparam int unsigned HostWidth = 4;
  localparam logic [HostWidth-1:0] HostOpen          = 4'd0;  // value: CQ mask, SQ mask
  localparam logic [HostWidth-1:0] HostRing          = 4'd1;  // value: entries added (FE-1)
  localparam logic [HostWidth-1:0] HostCqHead        = 4'd2;  // value: head (CQ-4, CQ-5)
  localparam logic [HostWidth-1:0] HostResume        = 4'd3;  // SCH-13
  localparam logic [HostWidth-1:0] HostHandled       = 4'd4;  // SQE-11
  localparam logic [HostWidth-1:0] HostEnable        = 4'd5;  // value: on (FE-8)
  localparam logic [HostWidth-1:0] HostEventRecord   = 4'd6;  // value: id
  localparam logic [HostWidth-1:0] HostEventClear    = 4'd7;
  localparam logic [HostWidth-1:0] HostNotifyRecord  = 4'd8;
  localparam logic [HostWidth-1:0] HostNotifyClear   = 4'd9;

  // ---- memory ----

  localparam logic [1:0] MemoryRoute = 2'd0;  // is the DMA's way there, and which one is it (DMA-4)
  localparam logic [1:0] MemoryApply = 2'd1;  // the DMA has its effect (DMA-5)
  localparam logic [1:0] MemoryStore = 2'd2;  // a write-value (SQE-9)

  // ---- what it tells ----

  localparam int unsigned NoteWidth = 5;
  localparam logic [NoteWidth-1:0] NoteGrant    = 5'd0;   // value: slot (SCH-3)
  // value: slot; it can be granted when swapped out (SCH-19)
  localparam logic [NoteWidth-1:0] NoteLeave    = 5'd1;
  localparam logic [NoteWidth-1:0] NoteBegin    = 5'd2;   // value: when the SQE is there
  localparam logic [NoteWidth-1:0] NoteShare    = 5'd3;   // value: class (SCH-8)
  localparam logic [NoteWidth-1:0] NoteUnshare  = 5'd4;   // value: class
  localparam logic [NoteWidth-1:0] NoteChannel  = 5'd5;   // value: channel (DMA-1)
  localparam logic [NoteWidth-1:0] NoteMove     = 5'd6;   // value: route (DMA-3)
  localparam logic [NoteWidth-1:0] NoteMoved    = 5'd7;   // value: channel
  localparam logic [NoteWidth-1:0] NotePark     = 5'd8;   // value: id (SCH-10)
  // value: the queue whose record it was (SCH-11)
  localparam logic [NoteWidth-1:0] NoteWake     = 5'd9;
  localparam logic [NoteWidth-1:0] NoteHold     = 5'd10;  // value: npu_sqe_pkg::hold_e
  localparam logic [NoteWidth-1:0] NoteResume   = 5'd11;
  localparam logic [NoteWidth-1:0] NoteRetire   = 5'd12;  // value: interrupt target (SQE-6)
  localparam logic [NoteWidth-1:0] NoteFail     = 5'd13;  // value: status, error (SQE-10)
  localparam logic [NoteWidth-1:0] NoteLimit    = 5'd14;  // a time limit has passed (SQE-8)
  // the DMA's addresses lead nowhere (DMA-4)
  localparam logic [NoteWidth-1:0] NoteNoWay    = 5'd15;

  // ---- state of a queue ----

  // 0: closed
  localparam logic [3:0] QIdle        = 4'd1;
  localparam logic [3:0] QSwapOut     = 4'd2;   // wants a slot, and is still being swapped out
  localparam logic [3:0] QWaitSlot    = 4'd3;
  localparam logic [3:0] QSwapIn      = 4'd4;
  localparam logic [3:0] QWork        = 4'd5;
  localparam logic [3:0] QTransfer    = 4'd6;
  localparam logic [3:0] QWaitClass   = 4'd7;
  localparam logic [3:0] QWaitChannel = 4'd8;
  localparam logic [3:0] QParked      = 4'd9;
  localparam logic [3:0] QHeld        = 4'd10;
  localparam logic [3:0] QException   = 4'd11;

  // What its timer means; from 8 on npu_sqe_pkg's Next, less 8.
  localparam logic [4:0] StepArrive   = 5'd0;
  localparam logic [4:0] StepSwapOut  = 5'd1;
  localparam logic [4:0] StepSwapDone = 5'd2;
  localparam logic [4:0] StepSqe      = 5'd16;

  localparam logic [1:0] ResumeBegin    = 2'd0;
  localparam logic [1:0] ResumeRetire   = 2'd1;
  localparam logic [1:0] ResumeDispatch = 2'd2;

  typedef struct packed {
    logic [3:0]  state;
    logic [4:0]  step;
    logic [1:0]  resume;
    logic [2:0]  hold;
    logic        has_slot;
    logic [6:0]  slot;
    logic        has_share;
    logic        has_channel;
    logic [5:0]  channel;
    logic        pcie;         // engine of share and channel
    logic        enabled;
    logic        notifies;     // it waits for a notify, not an event
    logic [16:0] wait_id;
    logic [2:0]  level;        // priority
    logic [5:0]  group;
    logic [15:0] stream;
    logic [31:0] place;        // of the SQE at the head, in the ring
    logic [63:0] out_until;    // swapped out then (SCH-19)
  } queue_t;
  localparam int unsigned QueueBits = 4 + 5 + 2 + 3 + 1 + 7 + 1 + 1 + 6 + 1 + 1 + 1 + 17 + 3 + 6 + 16 + 32 + 64;

endpackage
