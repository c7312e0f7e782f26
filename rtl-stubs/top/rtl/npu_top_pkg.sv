// SPDX-License-Identifier: Apache-2.0
/// Requests of software, reports of the top, and the state of a queue.
package npu_top_pkg;

  /// The part. Times are in another struct: Verilator 5.006 cannot sample a wider one.
  typedef struct packed {
    logic [7:0]  slots;           // 1 to 128
    logic [2:0]  strict_level;
    logic        weight_first;
    logic        reload_spent;
    logic [15:0] sdma_cap;
    logic [15:0] pcie_cap;
    logic [6:0]  sdma_channels;
    logic [6:0]  pcie_channels;
    logic [2:0]  sdma_shift;      // bytes per cycle of a channel: 2 to this
    logic [2:0]  pcie_shift;
    logic [31:0] burst_bytes;     // T-BST-1; 0: no bursts, links are never full
    logic [16:0] outstanding;     // T-BST-2, never 0
    logic [15:0] window;
    logic [16:0] events;
    logic [16:0] lines;
    logic [16:0] notifies;
    // Of PCIe each way and of HBM: bytes per cycle with 48 binary digits after the point
    logic [63:0] to_device_rate;
    logic [63:0] to_host_rate;
    logic [63:0] hbm_rate;
  } cfg_t;

  /// Times of the part, in cycles.
  typedef struct packed {
    logic [63:0] read;  // of a ring line
    logic [63:0] arbitration;
    logic [63:0] record;
    logic [63:0] slot_enable;
    logic [63:0] drain;
    logic [63:0] slot_disable;
    logic [63:0] decode;
    logic [63:0] event_table;
    logic [63:0] event_miss;
    logic [63:0] notify_table;
    logic [63:0] store;
    logic [63:0] retire;
    logic [63:0] cq_write;
    logic [63:0] sdma_setup;
    logic [63:0] pcie_setup;
    logic [63:0] credit_unit;
    logic [63:0] timeout_unit;
  } times_t;

  // ---- software ----

  localparam int unsigned HostWidth = 4;
  localparam logic [HostWidth-1:0] HostOpen          = 4'd0;  // value: CQ mask, SQ mask
  localparam logic [HostWidth-1:0] HostRing          = 4'd1;  // value: entries added (T-FE-1)
  localparam logic [HostWidth-1:0] HostCqHead        = 4'd2;  // value: head (T-CQ-4, T-CQ-5)
  // value: which ones (T-SCH-13, T-SCH-17, T-SCH-18), see Pauses
  localparam logic [HostWidth-1:0] HostResume        = 4'd3;
  localparam logic [HostWidth-1:0] HostHandled       = 4'd4;  // T-SQE-11
  localparam logic [HostWidth-1:0] HostEnable        = 4'd5;  // value: on (T-FE-8)
  localparam logic [HostWidth-1:0] HostEventRecord   = 4'd6;  // value: id
  localparam logic [HostWidth-1:0] HostEventClear    = 4'd7;
  localparam logic [HostWidth-1:0] HostNotifyRecord  = 4'd8;
  localparam logic [HostWidth-1:0] HostNotifyClear   = 4'd9;
  localparam logic [HostWidth-1:0] HostPause         = 4'd10; // value: which (T-SCH-13, T-SCH-18)
  localparam logic [HostWidth-1:0] HostKill          = 4'd11; // T-SCH-14
  localparam logic [HostWidth-1:0] HostTerminate     = 4'd12; // of a killed queue (T-SCH-15)
  // value: head; the queue is disabled and at rest (T-FE-8)
  localparam logic [HostWidth-1:0] HostSetHead       = 4'd13;
  localparam logic [HostWidth-1:0] HostPriority      = 4'd14; // with priority and group (T-FE-10)

  localparam int unsigned Pauses = 2;
  localparam logic [Pauses-1:0] PauseTask = 2'b01;  // the other is the debugger's

  // ---- memory ----

  // is the DMA's way there, and which one is it (T-DMA-4)
  localparam logic [1:0] MemoryRoute = 2'd0;
  localparam logic [1:0] MemoryApply = 2'd1;  // the DMA has its effect (T-DMA-5)
  localparam logic [1:0] MemoryStore = 2'd2;  // a write-value (T-SQE-9)

  // Where bytes move (T-LNK-3)
  localparam logic [3:0] RouteToDevice   = 4'd0;
  localparam logic [3:0] RouteToHost     = 4'd1;
  localparam logic [3:0] RouteWithin     = 4'd2;
  localparam logic [3:0] RouteLoop       = 4'd3;  // host to host
  localparam logic [3:0] RouteFillDevice = 4'd4;
  localparam logic [3:0] RouteFillHost   = 4'd5;

  // ---- notes: what it reports ----

  localparam int unsigned NoteWidth = 5;
  localparam logic [NoteWidth-1:0] NoteGrant    = 5'd0;   // value: slot (T-SCH-3)
  // value: slot; it can be granted when swapped out (T-SCH-19)
  localparam logic [NoteWidth-1:0] NoteLeave    = 5'd1;
  localparam logic [NoteWidth-1:0] NoteBegin    = 5'd2;   // value: when the SQE is there
  localparam logic [NoteWidth-1:0] NoteShare    = 5'd3;   // value: class (T-SCH-8)
  localparam logic [NoteWidth-1:0] NoteUnshare  = 5'd4;   // value: class
  localparam logic [NoteWidth-1:0] NoteChannel  = 5'd5;   // value: channel (T-DMA-1)
  localparam logic [NoteWidth-1:0] NoteMove     = 5'd6;   // value: route (T-DMA-3)
  localparam logic [NoteWidth-1:0] NoteMoved    = 5'd7;   // value: channel
  localparam logic [NoteWidth-1:0] NotePark     = 5'd8;   // value: id (T-SCH-10)
  // value: the queue whose record it was, all ones: software's (T-SCH-11)
  localparam logic [NoteWidth-1:0] NoteWake     = 5'd9;
  // value: npu_sqe_pkg::hold_e, or HoldPause
  localparam logic [NoteWidth-1:0] NoteHold     = 5'd10;
  localparam logic [NoteWidth-1:0] NoteResume   = 5'd11;
  localparam logic [NoteWidth-1:0] NoteRetire   = 5'd12;  // value: interrupt target (T-SQE-6)
  localparam logic [NoteWidth-1:0] NoteFail     = 5'd13;  // value: status, error (T-SQE-10)
  localparam logic [NoteWidth-1:0] NoteLimit    = 5'd14;  // a time limit has passed (T-SQE-8)
  // the DMA's addresses lead nowhere (T-DMA-4)
  localparam logic [NoteWidth-1:0] NoteNoWay    = 5'd15;
  localparam logic [NoteWidth-1:0] NoteKill     = 5'd16;  // T-SCH-14
  localparam logic [NoteWidth-1:0] NoteSkip     = 5'd17;  // the head moves on (T-SQE-11, T-SCH-17)

  // ---- state of a queue ----

  // 0: closed
  localparam int unsigned StateWidth = 4;
  localparam logic [StateWidth-1:0] QIdle        = 4'd1;
  // needs a slot, and is still being swapped out
  localparam logic [StateWidth-1:0] QSwapOut     = 4'd2;
  localparam logic [StateWidth-1:0] QWaitSlot    = 4'd3;
  localparam logic [StateWidth-1:0] QSwapIn      = 4'd4;
  localparam logic [StateWidth-1:0] QWork        = 4'd5;
  localparam logic [StateWidth-1:0] QTransfer    = 4'd6;
  localparam logic [StateWidth-1:0] QWaitClass   = 4'd7;
  localparam logic [StateWidth-1:0] QWaitChannel = 4'd8;
  localparam logic [StateWidth-1:0] QParked      = 4'd9;
  localparam logic [StateWidth-1:0] QHeld        = 4'd10;
  localparam logic [StateWidth-1:0] QException   = 4'd11;
  localparam logic [StateWidth-1:0] QKilled      = 4'd12;

  /// A hold that npu_sqe does not know of: between two SQEs (T-SCH-13).
  localparam int unsigned HoldWidth = 3;
  localparam logic [HoldWidth-1:0] HoldPause = 3'd7;

  // What its timer means; from 16 on npu_sqe_pkg's Next, less 16.
  localparam int unsigned StepWidth = 5;
  localparam logic [StepWidth-1:0] StepArrive   = 5'd1;
  localparam logic [StepWidth-1:0] StepSwapOut  = 5'd2;
  localparam logic [StepWidth-1:0] StepSwapDone = 5'd3;
  localparam logic [StepWidth-1:0] StepSqe      = 5'd16;

  localparam int unsigned ResumeWidth = 2;
  localparam logic [ResumeWidth-1:0] ResumeBegin    = 2'd0;
  localparam logic [ResumeWidth-1:0] ResumeRetire   = 2'd1;
  localparam logic [ResumeWidth-1:0] ResumeDispatch = 2'd2;

  /// What an act reports; zeros: nothing.
  typedef struct packed {
    logic                 valid;
    logic [NoteWidth-1:0] kind;
    logic [31:0]          value;
  } note_t;

endpackage
