// SPDX-License-Identifier: Apache-2.0
/// Types of SQEs, requests to the machine of a queue, and its answers. Layouts:
/// sim/include/twinsim/stars.h.
package npu_sqe_pkg;

  // Types of SQEs.
  localparam logic [5:0] TypeAiCore       = 6'd0;
  localparam logic [5:0] TypeAiCpu        = 6'd1;
  localparam logic [5:0] TypePlaceholder  = 6'd3;
  localparam logic [5:0] TypeEventRecord  = 6'd4;
  localparam logic [5:0] TypeEventWait    = 6'd5;
  localparam logic [5:0] TypeNotifyRecord = 6'd6;
  localparam logic [5:0] TypeNotifyWait   = 6'd7;
  localparam logic [5:0] TypeWriteValue   = 6'd8;
  localparam logic [5:0] TypeSdma         = 6'd11;
  localparam logic [5:0] TypeDsa          = 6'd15;
  localparam logic [5:0] TypePcieDma      = 6'd17;
  localparam logic [5:0] TypeCond         = 6'd20;
  localparam logic [5:0] TypeInvalid      = 6'd63;

  // Errors and statuses that the machine itself finds.
  localparam logic [7:0]  ErrorException    = 8'h01;
  localparam logic [7:0]  ErrorTimeout      = 8'h04;
  localparam logic [7:0]  ErrorBadSqe       = 8'h08;
  localparam logic [15:0] StatusTaskTimeout = 16'h0105;
  localparam logic [15:0] StatusBadSqe      = 16'h0106;
  localparam logic [15:0] StatusBusFault    = 16'h020a;

  // Where write-values of physical addresses go (T-SQE-9), 49 bits.
  localparam logic [48:0] NotifyTable = 49'h0_0000_0100_0000;
  localparam logic [48:0] EventTable  = 49'h0_0000_0200_0000;
  localparam logic [48:0] PeerBase    = 49'h0_1000_0000_0000;

  /// What an SQE asks for once it is decoded.
  typedef enum logic [3:0] {
    EffectNone,
    EffectEventRecord,
    EffectEventWait,
    EffectEventClear,
    EffectNotifyRecord,
    EffectNotifyWait,
    EffectNotifyClear,
    EffectCountRecord,
    EffectCountWait,
    EffectStore,
    EffectRemote,
    EffectNowhere,   // a store that leads nowhere
    EffectDispatch,  // needs a share of its class (T-SCH-8)
    EffectBad
  } effect_e;

  /// Classes, in the order of twinsim_class.
  localparam logic [2:0] ClassSdma     = 3'd0;
  localparam logic [2:0] ClassPcieDma  = 3'd1;
  localparam logic [2:0] ClassCond     = 3'd2;
  localparam logic [2:0] ClassCpuTopic = 3'd3;
  localparam logic [2:0] ClassAic      = 3'd4;
  localparam logic [2:0] ClassAiv      = 3'd5;
  localparam logic [2:0] ClassMixed    = 3'd6;
  localparam logic [2:0] ClassNone     = 3'd7;

  /// What happens to the SQE of a queue.
  localparam int unsigned OpWidth = 4;
  // it is there at value; flag: a fault makes it a bad one (T-FLT-5)
  localparam logic [OpWidth-1:0] OpBegin    = 4'd0;
  // decode is over and it is to be held (T-SQE-4)
  localparam logic [OpWidth-1:0] OpDecoded  = 4'd1;
  localparam logic [OpWidth-1:0] OpExecute  = 4'd2;   // the time to its effect is over (T-SQE-3)
  localparam logic [OpWidth-1:0] OpMiss     = 4'd3;   // its entry is in memory (T-EVT-8)
  // it has had its effect, or its wait has passed
  localparam logic [OpWidth-1:0] OpDone     = 4'd4;
  localparam logic [OpWidth-1:0] OpPark     = 4'd5;   // its wait did not pass (T-SCH-10)
  localparam logic [OpWidth-1:0] OpSetUp    = 4'd6;   // a channel was found (T-DMA-2)
  // its bytes begin to move, the host has its message (T-SQE-8), or its program waits (T-COND-11)
  localparam logic [OpWidth-1:0] OpMove     = 4'd7;
  localparam logic [OpWidth-1:0] OpFail     = 4'd8;   // value: error 7:0, status 23:8 (T-SQE-10)
  // the time to retirement is over; flag: the CQ is full
  localparam logic [OpWidth-1:0] OpRetire   = 4'd9;
  localparam logic [OpWidth-1:0] OpReport   = 4'd10;  // the same of one that failed
  localparam logic [OpWidth-1:0] OpResume   = 4'd11;  // a hold ends
  localparam logic [OpWidth-1:0] OpEnd      = 4'd12;  // it is killed, or its queue is closed
  localparam logic [OpWidth-1:0] OpLimit    = 4'd13;  // its time is over (T-SQE-8)
  // the one that failed is skipped: the head moves past it, it counts as retired (T-SQE-11)
  localparam logic [OpWidth-1:0] OpHandled  = 4'd14;

  /// What comes next.
  localparam int unsigned NextWidth = 4;
  localparam logic [NextWidth-1:0] NextNone    = 4'd0;
  localparam logic [NextWidth-1:0] NextDecoded = 4'd1;  // OpDecoded when due
  localparam logic [NextWidth-1:0] NextExecute = 4'd2;  // OpExecute when due
  // OpExecute when due, and the entry is on the chip
  localparam logic [NextWidth-1:0] NextLoaded  = 4'd3;
  localparam logic [NextWidth-1:0] NextEffect  = 4'd4;  // the effect, now
  localparam logic [NextWidth-1:0] NextSetUp   = 4'd5;  // set-up is over when due
  localparam logic [NextWidth-1:0] NextLimit   = 4'd6;  // time is over when due, if anything is
  localparam logic [NextWidth-1:0] NextRetire  = 4'd7;  // OpRetire when due
  localparam logic [NextWidth-1:0] NextReport  = 4'd8;  // OpReport when due
  // it has retired: CQE if asked for, head, interrupts
  localparam logic [NextWidth-1:0] NextRetired = 4'd9;
  // the error CQE is written, the queue stops
  localparam logic [NextWidth-1:0] NextFailed  = 4'd10;
  localparam logic [NextWidth-1:0] NextHold    = 4'd11; // it is held; hold says why

  /// Why it is held.
  typedef enum logic [2:0] {
    HoldNone,
    HoldBefore,   // pre_p (T-SQE-4)
    HoldAfter,    // post_p (T-SQE-7)
    HoldCq,       // the CQ is full (T-CQ-3)
    HoldCqError   // the same of one that failed
  } hold_e;

  /// What decode finds.
  typedef struct packed {
    effect_e     effect;
    logic [2:0]  share;       // class
    logic [16:0] id;          // of an event, notify or count
    logic [48:0] address;     // of a store
    logic [5:0]  bytes;
    logic        wr_cqe;
    logic [1:0]  ie;
    logic [1:0]  pre_p;
    logic [1:0]  post_p;
    logic [7:0]  credit;
    logic [31:0] timeout;     // s, 0: none
    logic [15:0] task_id;
    logic [1:0]  access;      // what the time from decode to effect is: see below
  } decoded_t;

  localparam logic [1:0] AccessNone   = 2'd0;
  localparam logic [1:0] AccessEvent  = 2'd1;
  localparam logic [1:0] AccessNotify = 2'd2;
  localparam logic [1:0] AccessStore  = 2'd3;

endpackage
